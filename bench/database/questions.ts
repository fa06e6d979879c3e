/**
 * Thirty named queries over the subjects of the public set, as an operator would describe them, and two questions to each in other
 * words, with the parameters that are meant. The questions were written before the matcher.
 */
import type { QueryCard } from '../../models/extractive-queries.ts';

const top = (description: string) => ({ type: 'number', min: 1, max: 100, default: 10, description }) as const;
const text = (description: string) => ({ type: 'string', description }) as const;
const year = { type: 'number', min: 1900, max: 2100, description: 'year' } as const;
const cities = {
  type: 'enum',
  values: { 'New York': ['nyc', 'new york city'], 'San Francisco': ['sf'], 'Los Angeles': ['la'], Chicago: [], Miami: [] },
} as const;

const card = (
  name: string,
  description: string,
  examples: readonly string[],
  parameters: QueryCard['parameters'] = {},
): QueryCard => ({ name, description, examples, parameters });

export const QUERIES: readonly QueryCard[] = [
  card('restaurants_by_city', 'Number of restaurants in each city', [
    'How many restaurants are there per city?',
    'Count restaurants by city',
  ]),
  card(
    'restaurants_of_food',
    'Restaurants that serve a type of food in a city',
    ['Which Italian restaurants are in Chicago?', 'List places with Mexican food in Miami'],
    {
      food: { type: 'enum', values: { Italian: [], Mexican: [], Japanese: ['sushi'], American: [], Vegan: ['plant-based'] } },
      city: cities,
    },
  ),
  card(
    'best_restaurants',
    'Restaurants with the highest rating in a city',
    ['What are the best rated restaurants in New York?', 'Top 5 restaurants in Miami'],
    { city: cities, top: top('how many') },
  ),
  card('restaurant_rating_average', 'Average rating of restaurants by type of food', [
    'What is the mean rating for each cuisine?',
  ]),
  card('restaurants_on_street', 'Restaurants on a street', ['Which restaurants are on "Market St"?'], {
    street: text('name of the street'),
  }),
  card('city_population', 'Population of a city', ['How many people live in Chicago?', 'Number of inhabitants of Miami'], {
    city: cities,
  }),
  card('largest_states', 'States with the largest area', ['What are the biggest states?', 'Top 5 states by area'], {
    top: top('how many'),
  }),
  card('longest_rivers', 'The longest rivers with their length', ['Which river is the longest?', 'List the 5 longest rivers'], {
    top: top('how many'),
  }),
  card(
    'highest_mountains',
    'The highest mountains with their altitude',
    ['Which mountains are the tallest?', 'What is the highest mountain?'],
    { top: top('how many') },
  ),
  card('lakes_by_area', 'Lakes larger than an area', ['Which lakes are bigger than 500 square kilometres?'], {
    area: { type: 'number', min: 0, max: 1e6, description: 'square kilometres' },
  }),
  card('state_capital', 'Capital of a state', ['What is the capital of Texas?'], {
    state: { type: 'enum', values: { Texas: [], California: [], Florida: [], Illinois: [] } },
  }),
  card('flights_between', 'Flights from one city to another', ['Which flights go from Boston to Denver?'], {
    from: { type: 'enum', values: { Boston: [], Denver: [], Dallas: [] }, after: ['from', 'leaving', 'departing'] },
    to: { type: 'enum', values: { Boston: [], Denver: [], Dallas: [] }, after: ['to', 'into', 'for', 'reaching'] },
  }),
  card('cheapest_fare', 'Lowest fare of a one-way flight to a city', ['What is the cheapest ticket to Dallas?'], {
    city: { type: 'enum', values: { Boston: [], Denver: [], Dallas: [] } },
  }),
  card('flights_per_airline', 'Number of flights of each airline', [
    'How many flights does every carrier operate?',
    'Flights by airline',
  ]),
  card('flights_on_date', 'Flights that depart on a day', ['Which flights leave on 2026-03-01?'], { day: { type: 'date' } }),
  card('publications_per_year', 'Number of publications in each year', ['How many papers were published per year?']),
  card(
    'publications_of_author',
    'Publications of an author',
    ['What has "Jane Doe" written?', 'Papers written by "John Smith"'],
    { author: text('name of the author') },
  ),
  card('citations_per_author', 'Total citations of each author', ['How often was every author cited?']),
  card(
    'most_cited',
    'Publications with the most citations',
    ['Which papers are cited most?', 'Top 3 publications by citations'],
    { top: top('how many') },
  ),
  card('papers_at_conference', 'Number of papers at a conference in a year', ['How many papers were at VLDB in 2019?'], {
    conference: { type: 'enum', values: { VLDB: [], SIGMOD: [], ICML: [] } },
    year,
  }),
  card('journal_papers', 'Publications in a journal after a year', ['Which papers appeared in Nature since 2015?'], {
    journal: { type: 'enum', values: { Nature: [], Science: [] } },
    year,
  }),
  card('course_instructor', 'Instructors of a course', ['Who teaches "EECS 280"?'], { course: text('number of the course') }),
  card('students_per_program', 'Number of students in each program', ['How many students does every program have?']),
  card('courses_by_credits', 'Courses with a number of credits', ['Which courses are worth 4 credits?'], {
    credits: { type: 'number', min: 1, max: 12 },
  }),
  card('courses_in_term', 'Courses that are offered in a term', ['What is taught in the winter semester?'], {
    term: { type: 'enum', values: { fall: ['autumn'], winter: [], spring: [], summer: [] } },
  }),
  card('easiest_courses', 'Courses with the lowest workload', ['What are the easiest courses?'], { top: top('how many') }),
  card('reviews_of_business', 'Number of reviews of a business', ['How many reviews does "Joe\'s Pizza" have?'], {
    business: text('name of the business'),
  }),
  card('reviews_in_month', 'Number of reviews written in a month', ['How many reviews were written in March?'], {
    month: {
      type: 'enum',
      values: { '01': ['january', 'jan'], '02': ['february', 'feb'], '03': ['march'], '04': ['april'], '05': ['may'] },
    },
  }),
  card('tips_of_user', 'Tips that a user has left', ['Which tips did "Michelle" write?'], { user: text('name of the user') }),
  card(
    'businesses_with_stars',
    'Businesses with at least a number of stars in a city',
    ['Which businesses in Chicago have 4 stars or more?'],
    {
      city: cities,
      stars: { type: 'number', min: 1, max: 5 },
    },
  ),
];

export interface Paraphrase {
  readonly question: string;
  readonly query: string;
  readonly parameters: Readonly<Record<string, string | number>>;
}

export const ask = (question: string, query: string, parameters: Paraphrase['parameters'] = {}): Paraphrase => ({
  question,
  query,
  parameters,
});

/** Parameters that keep their default are not named. */
export const PARAPHRASES: readonly Paraphrase[] = [
  ask('For every city, how many restaurants do we have?', 'restaurants_by_city'),
  ask('restaurant count per city please', 'restaurants_by_city'),
  ask('Where can I get Japanese food in San Francisco?', 'restaurants_of_food', { food: 'Japanese', city: 'San Francisco' }),
  ask('show me the sushi restaurants in LA', 'restaurants_of_food', { food: 'Japanese', city: 'Los Angeles' }),
  ask('Which restaurants in Chicago have the best ratings?', 'best_restaurants', { city: 'Chicago' }),
  ask('Give me the three top-rated restaurants in NYC', 'best_restaurants', { city: 'New York', top: 3 }),
  ask('Average restaurant rating for each food type', 'restaurant_rating_average'),
  ask('How are restaurants rated on average per kind of food?', 'restaurant_rating_average'),
  ask('Are there any restaurants on "Broadway"?', 'restaurants_on_street', { street: 'Broadway' }),
  ask('list all restaurants located on the street "Sunset Blvd"', 'restaurants_on_street', { street: 'Sunset Blvd' }),
  ask('What is the population of Miami?', 'city_population', { city: 'Miami' }),
  ask('How many inhabitants does San Francisco have?', 'city_population', { city: 'San Francisco' }),
  ask('Name the five largest states', 'largest_states', { top: 5 }),
  ask('Which states have the biggest area?', 'largest_states'),
  ask('Tell me the 3 longest rivers', 'longest_rivers', { top: 3 }),
  ask('What rivers are longest, and how long are they?', 'longest_rivers'),
  ask('Top 7 mountains by height', 'highest_mountains', { top: 7 }),
  ask('show the tallest mountains', 'highest_mountains'),
  ask('Show lakes with an area of more than 1000 square kilometres', 'lakes_by_area', { area: 1000 }),
  ask('lakes larger than 250 km2', 'lakes_by_area', { area: 250 }),
  ask('Which city is the capital of Florida?', 'state_capital', { state: 'Florida' }),
  ask("What's California's capital?", 'state_capital', { state: 'California' }),
  ask('Show me all flights leaving Boston for Dallas', 'flights_between', { from: 'Boston', to: 'Dallas' }),
  ask('I want to fly from Denver to Boston, what flights are there?', 'flights_between', { from: 'Denver', to: 'Boston' }),
  ask('How much is the cheapest one-way flight to Denver?', 'cheapest_fare', { city: 'Denver' }),
  ask('lowest ticket price to Boston', 'cheapest_fare', { city: 'Boston' }),
  ask('Flight count for each airline', 'flights_per_airline'),
  ask('How many flights are there per carrier?', 'flights_per_airline'),
  ask('What flights depart on 2026-05-17?', 'flights_on_date', { day: '2026-05-17' }),
  ask('list flights leaving on 3 April 2026', 'flights_on_date', { day: '2026-04-03' }),
  ask('How many publications came out in each year?', 'publications_per_year'),
  ask('yearly number of published papers', 'publications_per_year'),
  ask('Show the publications by "Ada Smith"', 'publications_of_author', { author: 'Ada Smith' }),
  ask('Which papers did the author "Li Wei" write?', 'publications_of_author', { author: 'Li Wei' }),
  ask('Total number of citations per author', 'citations_per_author'),
  ask('How many citations has each author received?', 'citations_per_author'),
  ask('What are the 5 most cited publications?', 'most_cited', { top: 5 }),
  ask('papers with the most citations', 'most_cited'),
  ask('How many publications did SIGMOD have in 2021?', 'papers_at_conference', { conference: 'SIGMOD', year: 2021 }),
  ask('number of papers at the ICML conference in 2018', 'papers_at_conference', { conference: 'ICML', year: 2018 }),
  ask('List publications in Science after 2010', 'journal_papers', { journal: 'Science', year: 2010 }),
  ask('What papers has the journal Nature published since 2020?', 'journal_papers', { journal: 'Nature', year: 2020 }),
  ask('Who is the instructor of "MATH 115"?', 'course_instructor', { course: 'MATH 115' }),
  ask('which instructors teach the course "EECS 484"', 'course_instructor', { course: 'EECS 484' }),
  ask('Student numbers by program', 'students_per_program'),
  ask('How many students are in each of the programs?', 'students_per_program'),
  ask('Show courses with 3 credits', 'courses_by_credits', { credits: 3 }),
  ask('What courses give two credits?', 'courses_by_credits', { credits: 2 }),
  ask('Which courses are offered in the fall?', 'courses_in_term', { term: 'fall' }),
  ask('courses available in the autumn term', 'courses_in_term', { term: 'fall' }),
  ask('Which 5 courses have the lowest workload?', 'easiest_courses', { top: 5 }),
  ask('list the courses with the least workload', 'easiest_courses'),
  ask('What is the number of reviews for "Blue Cafe"?', 'reviews_of_business', { business: 'Blue Cafe' }),
  ask('How many times was "Joe\'s Pizza" reviewed?', 'reviews_of_business', { business: "Joe's Pizza" }),
  ask('How many reviews did people write in April?', 'reviews_in_month', { month: '04' }),
  ask('number of reviews in january', 'reviews_in_month', { month: '01' }),
  ask('Show me the tips left by "Tom"', 'tips_of_user', { user: 'Tom' }),
  ask('What tips has user "Anna" written?', 'tips_of_user', { user: 'Anna' }),
  ask('Businesses in New York with at least 4 stars', 'businesses_with_stars', { city: 'New York', stars: 4 }),
  ask('Which Miami businesses have three or more stars?', 'businesses_with_stars', { city: 'Miami', stars: 3 }),
];
