import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHINESE_EVERYDAY, CHINESE_KINDS, CHINESE_MEANINGS, CHINESE_VERBS } from '../../models/thesaurus-zh.ts';

const membersOf = (list: string): readonly string[] => list.split(', ');
const meanings = CHINESE_MEANINGS.trim().split('\n').map(membersOf);
const kinds = CHINESE_KINDS.trim()
  .split('\n')
  .map((line) => line.split(' < ').map(membersOf));

const verbs = CHINESE_VERBS.trim()
  .split('\n')
  .map((line) => line.split(' < ').map(membersOf));

/** Pairs that a question keeps apart: one is never the answer to the other. */
const APART = `
上班/下班 登录/登出 登录/退出登录 入职/离职 最多/最少 最高/最低 上限/下限 国内/国外 国内/境外 免费/收费 工作日/周末 周六/周日 周一/周五 提前/推迟
购买/出售 借用/归还 借书/还书 上传/下载 导入/导出 增加/减少 安装/卸载 开启/关闭 启用/停用 升级/降级 升级套餐/降级 订阅/退订 入住/退房 上午/下午
早上/晚上 早餐/午餐 午餐/晚餐 全职/兼职 允许/禁止 允许/不允许 必须/可选 必须/自愿 收入/支出 借记卡/信用卡 存款/取款 全额/部分 长期/短期 制冷/制热
高温/低温 内网/外网 出发/到达 单程/往返 去程/返程 发货/收货 发货/到货 寄件/取件 父亲/母亲 爸爸/妈妈 丈夫/妻子 老公/老婆 儿子/女儿 产假/陪产假 婚假/丧假
病假/事假 病假/年假 年假/事假 迟到/早退 夜班/早班 加班/调休 专票/普票 专用发票/普通发票 含税/不含税 甲方/乙方 房东/租客 租金/押金 退货/换货 退款/赔偿
保修/过保 保修/不保修 开机/关机 绑定/解绑 锁定/解锁 冻结/解冻 手动/自动 住院/出院 初诊/复诊 术前/术后 挂号/住院 处方/化验 医生/护士 学生/老师 开学/放假
寒假/暑假 报名/退课 取车/还车 机票/火车票 经济舱/商务舱 二等座/一等座 退票/改签 金卡/普通用户 管理员/普通用户 测试环境/生产环境 发布/回滚 备份/恢复数据 删除/恢复数据
加密/脱敏 限流/超时 重试/超时 分页/限流 免费版/专业版 专业版/企业版 安卓/苹果 可回收/有害垃圾 厨余垃圾/可回收 停水/停电 水费/电费 供暖/空调 电梯/楼梯 货梯/客梯
一楼/二楼 负一楼/一楼 当天/次日 当月/次月 月初/月底 年初/年底 旺季/淡季 全天/半天 每天/每周 每周/每月 每月/每年 每周/隔周 每天/隔天 红灯/绿灯 左侧/右侧
贷款/存款 正式员工/临时工 试用期/实习期 离职证明/在职证明 新客户/老客户 有货/缺货 线上/线下 网上/门店 纸质/电子版 身份证/驾照 红灯/黄灯 座机/手机 员工/客户
`
  .trim()
  .split(/\s+/)
  .map((pair) => pair.split('/') as [string, string]);

describe('the Chinese thesaurus', () => {
  it('has at least 900 meanings and 200 kinds', () => {
    assert.ok(meanings.length >= 900, `${meanings.length} meanings`);
    assert.ok(kinds.length >= 200, `${kinds.length} kinds`);
  });

  it('has two members a meaning or more, none empty, none twice', () => {
    const wrong = meanings.filter(
      (line) =>
        line.length < 2 || new Set(line).size < line.length || line.some((member) => member !== member.trim() || member === ''),
    );
    assert.deepEqual(wrong, []);
  });

  it('has instances and general words in each kind, none empty, none twice, none on both sides', () => {
    const wrong = kinds.filter((sides) => {
      const all = sides.flat();
      return (
        sides.length !== 2 || new Set(all).size < all.length || all.some((member) => member !== member.trim() || member === '')
      );
    });
    assert.deepEqual(wrong, []);
  });

  it('has no member of a single Chinese character, which would occur inside other words', () => {
    const single = [...meanings.flat(), ...kinds.flat(2)].filter((member) => /^\p{Script=Han}$/u.test(member));
    assert.deepEqual(single, []);
  });

  it('has one verb of one character a line, each once, with words that are longer', () => {
    const wrong = verbs.filter(
      ([verb = [], words = []]) =>
        verb.length !== 1 ||
        !/^\p{Script=Han}$/u.test(verb[0] ?? '') ||
        words.length === 0 ||
        new Set(words).size < words.length ||
        words.some((word) => [...word].length < 2),
    );
    assert.deepEqual(wrong, []);
    assert.equal(new Set(verbs.map(([verb]) => verb?.[0])).size, verbs.length);
  });

  it('has words of talk of two characters or more, each once', () => {
    const words = CHINESE_EVERYDAY.trim().split(/\s+/);
    assert.deepEqual(
      words.filter((word, at) => [...word].length < 2 || words.indexOf(word) < at || !/^\p{Script=Han}+$/u.test(word)),
      [],
    );
  });

  it('has no mark that would cut a member in two', () => {
    const cut = [...meanings.flat(), ...kinds.flat(2)].filter((member) => /[,，、;；<\n]/.test(member));
    assert.deepEqual(cut, []);
  });

  it('has no line twice', () => {
    const lines = [...meanings, ...kinds.map((sides) => sides.flat())].map((line) => [...line].sort().join(', '));
    assert.deepEqual(
      lines.filter((line, at) => lines.indexOf(line) < at),
      [],
    );
  });

  it('keeps apart what a question keeps apart', () => {
    const together = APART.filter(
      ([a, b]) =>
        meanings.some((line) => line.includes(a) && line.includes(b)) ||
        kinds.some(
          ([instances = [], general = []]) =>
            (instances.includes(a) && general.includes(b)) || (instances.includes(b) && general.includes(a)),
        ),
    );
    assert.deepEqual(together, []);
  });
});
