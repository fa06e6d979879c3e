/** Thanks, greetings and agreement in English, German and Chinese. */
const THANKS =
  /^(?:(?:ok(?:ay)?|great|perfect|super|cool|alright|nice|awesome|ah|oh|prima|gut|toll)[\s,.!]*)*(?:(?:many |much )?thank(?:s|\s*you)(?: (?:so much|a lot|very much|all|everyone|again|team))*|thx|ty|cheers|danke(?: (?:sch[öo]n|sehr|dir|ihnen|euch))*|vielen dank|merci|谢谢(?:你|您|大家)?|多谢|感谢)[\s\p{P}\p{S}\p{Extended_Pictographic}]*$/iu;
const GREETING =
  /^(?:hi|hello|hey|hallo|guten (?:tag|morgen|abend)|good (?:morning|afternoon|evening)|moin|你好|您好|大家好|早上好)(?: (?:there|all|everyone|team|together|zusammen))?[\s\p{P}\p{S}\p{Extended_Pictographic}]*$/iu;
const AGREEMENT =
  /^(?:ok(?:ay)?|great|perfect|super|cool|alright|nice|awesome|got it|works now|it works|good|prima|passt|好的?|收到)[\s\p{P}\p{S}\p{Extended_Pictographic}]*$/iu;

/** Words that ask for nothing: no ticket of their own, and no reason to open one again. */
export const asksNothing = (text: string): boolean => {
  const trimmed = text.trim();
  if (!/[\p{L}\p{N}]/u.test(trimmed)) return true;
  return trimmed.length <= 80 && [THANKS, GREETING, AGREEMENT].some((pattern) => pattern.test(trimmed));
};
