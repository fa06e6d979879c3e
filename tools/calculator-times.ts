/** Times of day and weekdays said in words, as the notation that the parser reads; and the time between two of the clock. */

const WEEKDAY = '(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?';
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WEEKDAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const HAN_WEEKDAYS = '日一二三四五六';

const weekdayNamed = (start: string): string => WEEKDAY_NAMES[WEEKDAYS.indexOf(start.slice(0, 3).toLowerCase())] ?? start;

/** Weekdays by the names that the calculator has for them; 下周一 is of the week behind, next Monday the first one to come. */
export const readWeekdays = (text: string): string =>
  text
    .replace(
      new RegExp(`\\b(next|last|(?:this )?coming) ${WEEKDAY}\\b`, 'giu'),
      (_, which: string, start: string) => `${/last/iu.test(which) ? 'last' : 'next'}${weekdayNamed(start)}`,
    )
    .replace(/下个?(?:周|星期|礼拜) ?([一二三四五六日天1-6])/gu, (_, day: string) => {
      const index = /\d/u.test(day) ? Number(day) : Math.max(0, HAN_WEEKDAYS.indexOf(day));
      return ` ${WEEKDAY_NAMES[index]}ofnextweek `;
    });

/** 下午3点半 as 15:30. */
export const readClocks = (text: string): string =>
  text.replace(
    /(上午|早上|凌晨|中午|下午|晚上)?(?<!\d) ?(\d{1,2}) ?[点點](?:(\d{1,2}) ?分?|(半)|整)?(?! ?\d)/gu,
    (found, half: string | undefined, hour: string, minute: string | undefined, thirty: string | undefined) => {
      const hours = Number(hour) + (/下午|晚上/u.test(half ?? '') && Number(hour) < 12 ? 12 : 0);
      return hours > 24 ? found : ` ${hours}:${thirty === undefined ? (minute ?? '').padStart(2, '0') : '30'} `;
    },
  );

export const CLOCK = '(?:\\d{1,2}:\\d{2}(?::\\d{2})?(?: ?[ap]\\.?m\\.?)?|\\d{1,2} ?[ap]\\.?m\\.?)';

export const isClock = (text: string): boolean => new RegExp(`^${CLOCK}$`, 'iu').test(text.trim());

/** Seconds since midnight. */
const readClockText = (text: string): number => {
  const [, hour = '0', minute = '0', second = '0', half = ''] =
    /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))? ?(?:([ap])\.?m)?/iu.exec(text.trim()) ?? [];
  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return hours * 3_600 + Number(minute) * 60 + Number(second);
};

/** Of two times of day the second is the later one, if need be on the next day. */
export const clockSpan = (from: string, to: string, unit: string): string => {
  const hours = unit === 'days' ? 'h' : unit;
  const isOvernight = readClockText(to) < readClockText(from);
  return `${isOvernight ? `(${to.trim()} + 24 h)` : to.trim()} - ${from.trim()} in ${hours}`;
};
