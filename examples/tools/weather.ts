import { z } from 'zod';
import type { Tool } from '../../agent/ports/tool.ts';
import { getJson } from './http.ts';

const parameters = z.object({ city: z.string().min(1).max(80).describe('Name of the city, in English') });
const weather = z.object({ city: z.string(), celsius: z.number(), sky: z.string() });

/** `baseUrl`: of a service with `GET /weather?city=…`. */
export const createWeatherTool = ({ baseUrl }: { readonly baseUrl: string }): Tool<z.infer<typeof parameters>> => ({
  name: 'get_weather',
  description:
    'The weather of one city now: temperature in degrees Celsius, and the sky. Use it when someone asks about weather or temperature; call it once for each city.',
  parameters,
  effect: 'read',
  timeoutMs: 5_000,
  run: async ({ city }, { signal }) => {
    const url = new URL('/weather', baseUrl);
    url.searchParams.set('city', city);
    return weather.parse(await getJson(url, `The weather service does not know the city ${JSON.stringify(city)}.`, signal));
  },
});
