/** Words of questions about data that mean one thing, beside those of documents: each is read as the first of its line. */
import { foldText, stemOf } from './extractive-lexicon.ts';

const LINES = `
customer client buyer shopper purchaser
employee staff worker personnel
revenue turnover sales proceeds earnings
price cost fare fee rate
supplier vendor seller
company firm business enterprise
product item goods
purchase buy
invoice bill
payment paid
city town
country nation
street road avenue
inhabitant resident population citizen dweller
person people individual
teacher instructor lecturer professor teach taught
student pupil enrolled enroled enrollee
course class lecture
term semester
program programme
school college university
publication paper article publish published
author writer written write wrote
citation cited cite
journal magazine
film movie
height altitude elevation
size area extent
weight mass
flight fly plane
airline carrier
depart leave departure
arrive arrival reach
doctor physician
medicine drug medication
treatment therapy
car vehicle automobile auto
shop store
restaurant eatery
food cuisine
rating rated
review reviewed
location place
branch site
request inquiry enquiry
failure fault outage
device machine
`;

const FIRST = new Map(
  LINES.trim()
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...others] = line.split(' ');
      return [first, ...others].map((word): [string, string] => [stemOf(word), first]);
    }),
);

const WORD = /[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu;

/** Applied to both sides alike, it takes nothing away: what it does not know stays as it is, capitals included. */
export const plainWords = (text: string): string => text.replace(WORD, (word) => FIRST.get(stemOf(foldText(word))) ?? word);
