import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../fake-clock.ts';
import { createMemoryHelpdesk, type HelpdeskFault, LATE_MS } from '../fakes/memory-helpdesk.ts';
import { never } from './fixtures.ts';

const asker = { id: 'slack:U1', displayName: 'Ada' };

describe('the helpdesk in memory', () => {
  it('has done what it gave no answer to, at once or later, and finds it by its marker', async () => {
    const clock = createFakeClock();
    let fault: HelpdeskFault = 'answer_lost';
    const { connector, people, ticket } = createMemoryHelpdesk({ clock, faultOf: () => fault });
    const create = () => connector.create({ subject: 'Help', text: 'It broke', requester: asker, marker: 'm1' }, never());
    await assert.rejects(create, { code: 'helpdesk_unavailable' });
    fault = 'none';
    const { id = '' } = (await connector.find('m1', never())) ?? {};
    fault = 'late';
    await assert.rejects(connector.addComment(id, { text: 'hello', isPublic: true, marker: 'm2' }, never()), {
      code: 'helpdesk_unavailable',
    });
    assert.deepEqual(ticket(id).comments, []);
    await clock.advance(LATE_MS);
    assert.deepEqual(ticket(id).comments[0]?.marker, 'm2');
    fault = 'stale';
    people.set(id, { status: 'solved' });
    assert.equal((await connector.read(id, never()))?.status, 'open');
    fault = 'none';
    assert.equal((await connector.read(id, never()))?.status, 'solved');
    await assert.rejects(connector.setStatus(id, 'closed', 0, never()), { code: 'helpdesk_moved' });
    assert.deepEqual((await connector.listChanged(0, 1, never())).changed, [{ id, changedAt: ticket(id).version }]);
  });
});
