/**
 * Words that people ask with beside the words that documents answer with: one line a meaning, its members separated by
 * commas. English members are matched by stem, in any inflection; a word may stand in several lines.
 */
export const SYNONYM_LINES = `
return, send back, give back, bring back, take back, 退货, 退回, 退还, 退换, 退换货
refund, money back, reimburse, reimbursement, pay back, credited, 退款, 退钱, 返还, 退费
expenses, reimburse, reimbursement, claim, expense report, 报销, 报账, 报多少, 能报
cost, price, fee, charge, rate, tariff, how much money, 价格, 多少钱, 费用, 收费, 售价, 价钱, 单价, 零售价, 什么价, 报价, 要多少钱
free, no charge, free of charge, at no cost, costs nothing, gratis, included, 免费, 不收费, 免收, 包邮, 不要钱
cheap, low price, saving, save, discount, reduced, rebate, percent off, cheaper, 折扣, 优惠, 打折, 八折, 便宜, 打几折
yearly, annual, per year, every year, twelve months, whole year, once a year, a year, 每年, 一年, 年度
monthly, per month, every month, a month, 每月, 每个月, 一个月
daily, per day, every day, a day, each day, 每天, 每日, 一天
advance, upfront, up front, beforehand, ahead, prepay, before, 提前, 预先, 预付, 事先
vacation, holiday, annual leave, paid leave, time off, pto, days off, leave, 年假, 年休假, 休假, 带薪假, 放假, 假期
sick, ill, illness, sickness, unwell, 病假, 生病, 患病
doctor's note, sick note, medical certificate, doctor's certificate, 诊断证明, 病假条, 医院证明
wedding, marry, married, marriage, get married, 结婚, 婚假
baby, birth, newborn, maternity, paternity, parental leave, 产假, 生孩子, 陪产假, 生育, 育儿假
father, dad, husband, paternity, other parent, 陪产假, 爸爸, 丈夫, 老婆, 男员工
child, children, kid, son, daughter, year old, toddler, infant, 孩子, 子女, 小孩, 儿童
death, die, bereavement, funeral, passed away, 丧假, 去世, 奔丧
move house, moving, moving house, relocate, relocation, 搬家
family, relative, spouse, wife, husband, parent, 家属, 家人, 亲属, 配偶
carry over, carried over, leftover, unused, roll over, left over, into next year, 没休完, 未休完, 剩余, 延至, 留到
warranty, guarantee, 保修, 质保, 保修期, 质保期, 保固, 过保
ship, deliver, delivery, dispatch, shipment, postage, arrive, 配送, 发货, 送货, 快递, 物流, 送达, 运送, 运费, 到货
buy, purchase, order, bought, 购买, 下单, 订购, 采购, 买
cancel, cancellation, terminate, call off, 取消, 终止, 撤销
phone, telephone, phone number, do i call, give a call, ring, hotline, extension, number to call, 电话, 热线, 客服电话, 联系方式, 值班电话
email, e-mail, mail, 邮箱, 邮件
contact, reach, get in touch, write to, turn to, 联系, 联络, 找谁
employee, staff, worker, team member, personnel, colleague, 员工, 职工, 雇员, 同事
customer, client, consumer, buyer, shopper, 客户, 顾客, 用户, 消费者
dealer, reseller, distributor, retailer, trade partner, 经销商, 代理商, 分销商
supplier, vendor, business partner, 供应商, 供货商, 厂商
guest, visitor, 访客, 来访, 客人, 来宾
salary, pay, wage, compensation, payday, paycheck, earn, 工资, 薪水, 薪资, 薪酬
payday, salaries are paid, 发工资, 发薪
raise, pay rise, salary review, salary increase, increase, 涨工资, 调薪, 加薪
home office, work from home, remote, remotely, telework, wfh, working from home, 远程, 在家办公, 居家办公, 远程办公, 公司以外, 在家
abroad, another country, foreign, overseas, 国外, 海外, 境外
allowed, permitted, allow, permit, permission, welcome, ok to, 允许, 可以, 准许
forbidden, prohibited, banned, not allowed, must not, never, 禁止, 不得, 不准, 严禁, 不能
limit, maximum, max, cap, at most, highest, no more than, biggest, largest, 上限, 最多, 最高, 不超过, 限额, 最大, 不得超过
exceed, go over, over the limit, too many, 超过, 超出
minimum, min, at least, lowest, smallest, 最少, 至少, 最低, 不少于, 最小
opening hours, business hours, office hours, opening times, open, staffed, desk hours, 营业时间, 开放时间, 服务时间, 开放
close, closed, closing, shut, 关门, 关闭, 打烊
begin, start, commence, 开始, 上班
morning, 早上, 上午, 早晨, 清晨
afternoon, 下午, 午后
evening, night, 晚上, 夜间, 夜里
start work, 上班, 上班时间, 到岗, 几点到公司, 到公司
finish, end, get off work, 结束, 下班
expire, expiry, lapse, run out, valid, validity, good for, works for, 过期, 到期, 有效, 有效期, 失效, 使用完毕
deadline, due, cut-off, latest, until when, by when, within, no later than, 截止, 最晚, 期限, 之内, 时限
submit, hand in, handed in, file, turn in, send in, apply, request, 提交, 申请, 上交
password, passcode, credentials, pin, 密码, 口令
log in, sign in, login, log on, sign-in, signin, 登录, 登陆
two-factor, 2fa, mfa, two-step, two factor authentication, 双重验证, 两步验证, 双因素
text message, sms, 短信
single sign-on, sso, saml, single sign on, 单点登录
reset, restore, factory settings, 重置, 恢复出厂, 复位
broken, defective, faulty, defect, damage, malfunction, not working, out of order, 故障, 损坏, 坏了, 出错, 报错, 质量问题, 异常
repair, fix, mend, servicing, 维修, 修理, 修复, 送修, 返修, 返厂, 保修
solve, fix, correct, what to do, troubleshoot, 解决, 处理, 怎么办
error, fault, error code, fault code, alarm, 错误, 故障, 故障代码, 报错
replace, exchange, swap, change, 更换, 换货, 替换, 换一次, 多久换, 要换, 要改
company car, car policy, fleet
car, vehicle, automobile, van, drive, 汽车, 车辆, 私家车
electric car, ev, charging point, 电动车, 充电桩
taxi, cab, transfer, local transport, 打车, 出租车, 市内交通
kilometre, km, kilometer, per km, mile, 公里
train, rail, railway, 火车, 高铁
plane, fly, flight, airplane, 飞机, 机票, 经济舱
bus, coach, shuttle, 班车, 大巴
travel, trip, business trip, journey, 出差, 差旅, 旅行
hotel, accommodation, lodging, overnight, stay, 酒店, 住宿, 旅馆, 宾馆, 住酒店
meal, food, lunch, dinner, eat, 餐费, 餐补, 伙食, 用餐, 饭钱, 餐饮, 吃饭, 午餐
breakfast, morning meal, 早餐, 早饭
restaurant, dinner, dining, 餐厅
canteen, cafeteria, 食堂
allowance, per diem, subsidy, stipend, subsidise, subsidize, contribute, pays half, 补贴, 津贴, 补助, 餐补
wine, beer, alcohol, drink, 酒, 酒水
receipt, invoice, bill, 发票, 收据, 票据, 凭票
fine, penalty, speeding ticket, parking ticket, penalised, 罚款, 扣款, 罚, 罚多少
approve, approval, sign off, authorise, authorize, consent, agree, agreement, 审批, 批准, 同意, 核准, 谁批, 谁来批
keep, store, retain, retention, save, hold, host, 保存, 存储, 保留, 留存, 保管
delete, remove, erase, wipe, get rid of, 删除, 清除, 销毁, 注销, 清零
big, large, size, dimension, area, how large, how big, hold, capacity, 尺寸, 大小, 多大, 面积, 大的, 容量, 平方米
weigh, weight, heavy, 重量, 多重, 净重
noise, loud, noisy, quiet, decibel, db, 噪音, 吵, 多吵, 噪声
battery life, battery, run time, 续航, 电池
colour, color, 颜色
power, watt, wattage, 功率, 额定功率
plan, tier, subscription, package, edition, 套餐, 版本, 方案
middle tier, mid tier, 中级
member, membership, loyalty programme, 会员
points, credits, night credits, reward points, 积分
downgrade, smaller plan, move down, 降级
upgrade, larger plan, move up, 升级, 更新
trial, test period, try out, 试用
probation, probationary period, trial period, 试用期
manager, boss, supervisor, line manager, team lead, 主管, 经理, 上级, 领导
resign, quit, resignation, notice, notice period, give notice, leave the company, hand in my notice, 辞职, 离职
training, course, learning, workshop, education, 培训, 课程, 学习
located, location, address, where, based, 地址, 位于, 在哪, 地点, 在哪里
pet, animal, dog, 宠物
cat, animal, 猫
inspect, inspection, check, 检查, 检验
clean, wash, descale, 清洁, 清洗, 除垢
help, support, assistance, helpdesk, help desk, service desk, 支持, 客服, 帮助
backup, back up, 备份
outage, incident, downtime, offline, 离线, 宕机, 断线
respond, response, reply, answer, hear from, get back, 回复, 答复, 响应
quick, fast, speed, soon, 快
interval, how often, frequency, refresh, update, every, 多久一次, 频率, 更新, 间隔
turn off, switch off, shut down, discontinue, sunset, switched off, end of life, 停用, 关停, 下线
turn on, switch on, enable, activate, 开通, 启用, 开启, 打开
connect, integrate, integration, link, hook up, 连接, 接入, 配网, 能连, 支持, 上网
export, download, save as, 导出, 下载
import, upload, 导入, 上传
compatible, supported, support, work with, works with, runs on, require, 支持, 兼容
whitelist, allow list, allowlist, firewall, lets in, 白名单
ip range, ip address, address range, ip, IP地址
wi-fi, wifi, wireless, wlan, internet, wireless internet, 无线网络, 无线, 上网, 网络
screen, monitor, display, 显示器, 屏幕
laptop, notebook, computer, pc, 电脑, 笔记本电脑, 计算机
mobile, cell phone, smartphone, cellphone, phone, 手机
virus, malware, infected, hacked, 病毒, 中毒, 中病毒
vulnerability, weakness, security hole, security bug, 漏洞
bug bounty, reward, bonus, bounty, pay for reported, 奖金, 奖励, 有奖励
data breach, leak, data leak, 泄露, 数据泄露
stolen, steal, theft, lost, lose, missing, 丢失, 被盗, 遗失, 丢了
lost property, lost items, found items, left behind, lost and found, 失物
schools, university, college, student, education, academic, 学校, 学生
charity, non-profit, nonprofit, ngo, charities, 慈善, 公益
present, gift, hospitality, 礼物, 礼品, 礼金
side job, second job, part-time job, moonlight, other job, 兼职, 副业
complaint, complain, report, misconduct, harass, whistleblower, 投诉, 举报
anonymous, anonymously, 匿名
refer, referral, recommend, recommendation, 推荐, 内推, 内部推荐
hire, recruit, join, new employee, onboard, start a job, 入职, 报到, 招聘
first day, day one, 报到当天
documents, papers, paperwork, materials, what to bring, bring along, 材料, 证件, 资料, 带哪些, 东西
identity card, id card, passport, id, 身份证
gym, fitness centre, fitness room, fitness studio, health club, workout, 健身, 健身房
health check, check-up, medical, 体检
insurance, 保险
pension, retirement, 养老金
overtime, extra hours, work late, 加班
time in lieu, compensatory, compensated with time off, 调休
public holiday, bank holiday, 法定节假日, 国庆, 节假日
weekend, saturday, 周末, 周六, 星期六
weekend, sunday, 周末, 周日, 星期天
weekday, working day, business day, 工作日
weekday, monday, 周一, 工作日
weekday, tuesday, 周二, 工作日
weekday, wednesday, 周三, 工作日
weekday, thursday, 周四, 工作日
weekday, friday, 周五, 工作日
clock in, log hours, record hours, log my hours, hours are entered, time sheet, timesheet, 打卡, 考勤, 签到
missed punch, 补卡, 忘打卡, 忘记打卡
late, delay, tardy, 迟到, 晚到
available, reachable, core time, 在线
break, rest, pause, lunch break, 午休, 休息
flexible, flexitime, 弹性
contract, agreement, 合同, 协议
stamp, seal, 公章, 盖章
who keeps, in charge, responsible, kept by, 谁管, 负责, 保管, 谁在管
deposit, down payment, prepayment, advance payment, 押金, 定金, 预付款, 预付, 预借
pay, payment, paid, charge, 支付, 付款, 付, 发放, 打入, 到账
credit card, card, company card, corporate card, 信用卡
credit card, visa
credit card, mastercard
american express, amex
cheque, check, 支票
cash, banknotes, 现金
corporate, company, 公司
account, profile, 账号, 账户, 帐号
invite, invitation, 邀请
share, give access, shared, control, 共享, 分享, 控制
schedule, timer, scheduled, 定时, 时间表
create, make, set up, 创建, 建立, 新建
who can, right, role, rights, 权限
check-in, check in, arrival, arrive, rooms are ready
arrive, come to, turn up, show up, be there, report to, 入住
check-out, check out, checkout, departure, leave the room, 退房
reception, front desk, 前台
around the clock, 24 hours, day and night, at night, 24 hour, 二十四小时, 全天
no-show, not show up, don't show up, no show
booking, book, reserve, reservation, reserved, 预订, 预定, 预约
table, dining table
dress code, wear, clothes, clothing, dress, 着装
coeliac, gluten, gluten-free, gluten free, 麸质
vegan, vegetarian, meatless, plant-based, 素食
allergy, allergies, allergic, 过敏
swim, pool, swimming, 游泳, 泳池
sauna, steam room, 桑拿
bike, bicycle, cycle, cycling, 自行车, 单车
rent, hire, borrow, lend, 租, 借, 借用, 租赁
park, parking, garage, car park, parking space, 停车, 停车位, 车位
far, distance, away, walk, miles away, 多远, 距离
overbooked, overbooking, no room is left, fully booked, 超售, 客满
fire, evacuation, alarm, assembly point, 火灾, 消防
meeting room, conference room, 会议室
theatre, theater, theatre seats
full day, whole day, all day, 全天, 整天
half day, half a day, 半天
seat, people fit, max guests, persons, seats, 座位, 人数
old, how old, age, older, minimum age, 年龄, 多大, 岁
room, bedroom, suite, 房间, 客房
oil, perfume, essential oil, 精油, 香水
tank, reservoir, 水箱
filter, cartridge, 滤网, 滤芯
humidifier, mist, 加湿器, 加湿
purifier, air cleaner, 净化器
motor, engine, 电机, 马达
spare part, parts, 配件, 备件, 零件
unopened, unopened box, unsold, original packaging, 原包装, 未拆封
opened, open box, unsealed, 拆封
don't like, change my mind, no reason, without giving reasons, not satisfied, 不喜欢, 无理由, 后悔
suitable, fit, suit, fits, designed for, 适合, 适用
use, apply, used for, 使用, 用
uninstall, install, 安装
smoke, smoking, cigarette, vape, 吸烟, 抽烟
software, app, application, program, 软件, 应用
patient, 病人, 患者
appointment, visit, consultation, 预约, 挂号, 门诊
prescription, medicine, medication, drug, 处方, 药, 药品
vaccine, vaccination, jab, shot, 疫苗
blood test, blood sample, lab test, 验血, 抽血
parcel, package, consignment, box, 包裹, 货物
weight limit, maximum weight, 限重
customs, import duty, duty, 海关, 关税
track, tracking, trace, 跟踪, 追踪, 查询
address change, change the address, redirect, 改地址
compensation, liability, damages, 赔偿, 赔付, 赔
claim, complaint, 索赔, 理赔
storage, disk space, space, 存储空间, 容量
users, seats, members, people, 人数, 用户数
token, api key, key, 令牌, 密钥
request, call, query, 请求, 调用
page, items per page, list, 分页
file, document, attachment, 文件, 附件
security, safety, privacy, 安全, 隐私
owner, administrator, admin, 管理员, 所有者
identity provider, idp
audit, log, audit log, 审计, 日志
webhook, callback
retry, retried, try again, repeat, 重试
country, region, eu, territory, 国家, 地区
minimum order, order quantity, moq, 起订量, 最小订单
margin, dealer discount, 利润
lawyer, legal, 法务, 法律
quote, quotation, bid, 报价
evaluate, rating, score, review, assessment, 评分, 评审, 考核
promotion, career, promoted, 晋升, 升职
bonus, premium, extra pay, supplement, extra money, 奖金, 年终奖, 加班费
sabbatical, unpaid leave, 无薪假
desk, chair, furniture, 桌椅, 办公桌
birthday, 生日
coupon, voucher, 券, 优惠券, 购物卡
spring festival, chinese new year, 春节
paper, printing paper, 打印纸, A4纸
pen, ballpoint, 签字笔, 圆珠笔
means, meaning, stand for, definition, 什么意思, 是什么, 含义
what happens, consequence, effect, 后果
transport ticket, public transport, commute, commuting, 通勤, 公共交通
level, grade, 等级, 级别
how to become, qualify, eligible, requirement, 怎样成为, 资格, 条件
benefit, perk, advantage, 权益, 福利
postpone, extend, extension, 延期, 延长
early, earlier, 提早
electricity, voltage, socket, plug, 电源, 电压, 插座
temperature, degrees, 温度
health insurance, medical insurance, 医疗保险, 医保
rabbit, bunny, 兔子
puppy, young dog, 幼犬
kitten, young cat, 幼猫
inject, injection, shot, jab, vaccinate, vaccination, vaccine, 打针, 接种, 几针, 注射
neuter, castrate, spay, sterilise, sterilize, 绝育
microchip, chip
surgery, operation, procedure, anaesthetic, anesthesia, 手术, 麻醉
fast, fasting, not eat, empty stomach, 空腹, 禁食, 饿
blood, blood test, draw blood, 抽血, 验血, 血检
result, report, findings, lab report, 报告, 结果, 化验单, 化验
doctor, physician, specialist, vet, consultant, 医生, 大夫, 专家
see a doctor, consultation, consult, outpatient, 看病, 门诊, 就诊, 看医生, 问诊, 就医
register, registration, sign up, enrol, enroll, 挂号, 约号, 注册, 报名, 登记
nurse, nursing, carer, caregiver, 护士, 护工, 陪护
ward, inpatient, hospital stay, 病房, 住院
visiting hours, visit a patient, 探视, 探望, 看望
driving, drive, behind the wheel, 开车, 驾车, 驾驶
metal, 金属
medical record, records, 病历
discharge, leave hospital, 出院
sunday, 周日, 星期天, 星期日, 礼拜天
saturday, 周六, 星期六, 礼拜六
monday, 周一, 星期一
friday, 周五, 星期五
miss, no-show, cannot come, fail to appear, don't come, 爽约, 去不了, 不来, 失约
collar, cone
tired, tiredness, sleepy, fatigue
normal, usual, expected
estimate, quotation, quote
hold, valid, remain valid, last
surcharge, extra cost, extra charge, additional fee, extra fee, supplement, extra, 加收, 附加费, 额外
emergency, urgent, outside our hours, dying, after hours, middle of the night, 急诊, 紧急, 应急
consultation hours, opening hours, open, are you open, hours, 门诊时间, 营业时间, 看诊时间
transport, carry, carrier, crate
in instalments, in installments, by instalments, pay in parts, part payment, 分期, 分期付款
collect, pick up, pickup, collection, pick-up, fetch, 领取, 取件, 自提, 取货
drop off, drop-off, hand over, hand in, leave with
look after, board, boarding, take care of, 寄养, 照看
insurer, insurance company
medium, size m, m-size
small, little, tiny, size s
domestic, within the country, national, inland, 国内
international, abroad, to other countries, cross-border, 国际
heavy, weight, heaviest, maximum weight
accident, crash, collision, 事故, 车祸, 撞车
street, address, house number
wrong, mistake, error, incorrect, typo, 错误, 写错, 填错
correct, change, amend, edit, modify, adjust, 修改, 更改, 变更
search, trace, investigate, look for
lost, missing, never arrived, gone, not arrived, disappeared
authority, power of attorney, authorisation, on my behalf, for me, 委托, 代领, 代办
not at home, not in, nobody home, absent, away, out, 不在家
redirect, different day, another day, reschedule, other day, postpone, 改期, 改天, 改约
courier, postman, delivery driver, driver, 快递员, 司机
premises, office, our office, at our place, 办公室
photo, picture, image, 照片, 图片
format, file type, extension
manager, in charge, responsible for, 负责人, 负责
close, closes, closing time, shut, until what time
wheelchair, disabled, accessible, 轮椅, 残疾, 无障碍
interpreter, language, english speaking, speak english, 语言, 英语
ring, jewellery, jewelry, 戒指, 首饰
needle, sharp, 针头, 针扎, 扎伤
night shift, night duty, 夜班, 值夜班
credits, continuing education, 学分, 继续教育
dispute, conflict, quarrel, 纠纷, 争议
single room, private room, 单人, 单间, 单人病房
age group, how old, 年纪, 年龄, 几岁, 岁以上, 多大年纪
where to print, print, printing, 打印
video, video call, 视频
text, chat, 图文
charge per hour, hourly, per hour, an hour, 每小时, 一小时
all-day maximum, daily cap, 封顶, 最多收
parking fee, parking charge, 停车费, 停车, 停一天车, 停车卡
mortgage, loan, credit, borrow money, 贷款, 房贷
interest, interest rate, 利息, 利率
bank transfer, wire transfer, transfer money, 转账, 汇款
account number, iban, bank details, 银行账号, 账户
withdraw, atm, cash machine, 取款, 取现
teacher, instructor, tutor, 老师, 教师, 教练
pupil, student, learner, 学生, 学员
exam, examination, test, 考试, 测验
tuition, course fee, school fee, 学费
lesson, class, session, 课, 课时, 上课
library, borrow books, 图书馆
dormitory, dorm, student housing, 宿舍
tenant, renter, 租客, 租户
landlord, lessor, 房东
rent, lease, rental, 租金, 房租, 租约
garbage, trash, rubbish, waste, recycling, 垃圾, 废物
electric, electrical appliance, 电器, 大功率
heating, radiator, heater, 暖气, 供暖
lift, elevator, 电梯
key, keys, key card, 钥匙, 门卡
luggage, baggage, suitcase, bag, 行李
seat, ticket, boarding pass, 座位, 车票
subscribe, sign up, register, join, 订阅, 加入, 注册
unsubscribe, opt out, leave, quit, 退订, 退出
notification, alert, reminder, 通知, 提醒
crash, freeze, hang, stuck, 死机, 卡住
slow, lag, takes long, 慢
browser, chrome, firefox, safari, edge, 浏览器
operating system, windows, linux, macos, 操作系统
memory, ram, 内存
cpu, processor, 处理器
sync, synchronise, synchronize, 同步
offline, without internet, no connection, 离线
language, languages, translation, 语言, 翻译
team, group, department, 部门, 团队, 科室
ceo, chief executive, managing director, 总经理, 首席执行官
founder, founded, founding, set up, established, 创始人, 成立, 创办
headquarters, head office, main office, 总部
job, vacancy, position, career, opening, 职位, 招聘, 岗位
interview, job interview, 面试
intern, internship, trainee, 实习生, 实习
apprentice, trainee, 学徒
part-time, half-time, 兼职, 非全日制
freelancer, contractor, external, 外包
allergen, nuts, peanuts, 过敏原
drink, beverage, coffee, tea, 饮料, 饮水
waterproof, water resistant, splash proof, 防水
wireless, cordless, bluetooth, 蓝牙, 无线
dishwasher, dishwasher-safe, 洗碗机
material, made of, fabric, 材质, 材料
assembly, assemble, put together, 组装
lifetime, lifespan, service life, how long does last, 寿命
certificate, certification, certified, 证书, 认证
tax, vat, sales tax, 税, 增值税
import tax, customs, duty
holiday season, christmas, peak season
early bird, early booking, book early
gift card, voucher, gift voucher, 礼品卡
stock, in stock, inventory, available, 库存, 有货
colour, colors, available in, 颜色
carbon, co2, emissions, footprint, 碳排放
donate, donation, 捐赠
volunteer, volunteering, 志愿者
lawn, garden, yard, 花园
wage, hourly wage, pay rate, 时薪
shift, rota, roster, schedule, 排班, 班次
uniform, work clothes, workwear, shoes, 工作服, 制服, 着装
protective equipment, ppe, gloves, helmet, 防护, 头盔
injury, injured, hurt, wounded, 受伤, 工伤
first aid, first-aid, 急救
`;
