/** Words by which somebody asks for a person instead of the assistant, in English, German and Chinese. */
const PERSON: readonly RegExp[] = [
  /\b(?:talk|speak|chat|write|get|connect(?: me)?|pass(?: me)?|escalate(?: this)?|hand(?: this| me)?(?: over)?)\b.{0,20}?\b(?:to|with|through to)\b.{0,12}?\b(?:a |an |some |the |your )?(?:real |actual |live )?(?:human|person|somebody|someone|agent|support(?: team)?|colleague|representative)\b/iu,
  /^(?:please )?(?:i (?:want|need|would like) )?(?:a |an )?(?:real |actual |live )?(?:human|person|agent)(?: please)?[.!?]*$/iu,
  /\bask a (?:human|person)\b/iu,
  /\bmit (?:einem |einer |jemandem? )?(?:echten |richtigen )?(?:menschen|mensch|mitarbeiter(?:in)?|kolleg(?:e|en|in)|person|jemand(?:em)?)\b.{0,30}?\b(?:sprechen|reden|schreiben|verbinden|verbunden)/iu,
  /(?:转|接|找|联系)(?:一?[个位])?(?:人工|真人|客服)|人工(?:客服|服务)/u,
];
const MAX_CHARS = 200;

/** Long messages are about something: they are answered, and say so themselves if a person is wanted. */
export const asksForPerson = (text: string): boolean => text.length <= MAX_CHARS && PERSON.some((pattern) => pattern.test(text));
