import { z } from 'zod';
import type { Tool } from '../../agent/ports/tool.ts';
import { getJson } from './http.ts';

const parameters = z.object({
  number: z
    .string()
    .regex(/^[A-Z]-\d{4}$/, 'expected a letter, a dash and four digits, like A-1001')
    .describe('Order number, like A-1001'),
  withItems: z.boolean().default(false).describe('True when the items are asked for'),
});
const order = z.object({
  number: z.string(),
  status: z.string(),
  amount: z.number(),
  currency: z.string(),
  items: z.array(z.object({ name: z.string(), count: z.number() })),
});

/** `baseUrl`: of a service with `GET /orders/NUMBER`. */
export const createOrderTool = ({ baseUrl }: { readonly baseUrl: string }): Tool<z.infer<typeof parameters>> => ({
  name: 'query_order',
  description:
    'Status, amount and number of items of one order. Use it when someone asks where an order is, what it costs or what is in it, and names the order number. Do not use it for questions about delivery times in general.',
  parameters,
  effect: 'read',
  timeoutMs: 3_000,
  run: async ({ number, withItems }, { signal }) => {
    const found = await getJson(new URL(`/orders/${number}`, baseUrl), `There is no order ${number}.`, signal);
    const { items, ...rest } = order.parse(found);
    const itemCount = items.reduce((sum, { count }) => sum + count, 0);
    return withItems ? { ...rest, itemCount, items } : { ...rest, itemCount };
  },
});
