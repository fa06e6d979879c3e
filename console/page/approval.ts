/** A call that a person is asked about: what it is, all that it would be called with, and two buttons while it waits. */

import { announce, make } from './dom.ts';
import { type Approval, decide, Refused } from './server.ts';
import { words } from './words.ts';

export const makeApproval = (approval: Approval): HTMLElement => {
  const title = make('h3', { id: `approval-${approval.id}` }, approval.title);
  const details = make('pre', { tabindex: '0', 'aria-label': words.arguments }, approval.details);
  const foot = make('p', { class: 'quiet' }, approval.foot);
  const card = make(
    'section',
    { class: 'approval', 'aria-labelledby': title.id },
    title,
    make('p', {}, approval.words),
    details,
    foot,
  );
  if (!approval.isOpen) return card;
  const approve = make('button', { type: 'button', class: 'primary' }, words.approve);
  const deny = make('button', { type: 'button', class: 'plain' }, words.deny);
  const send = async (decision: 'approved' | 'denied'): Promise<void> => {
    approve.disabled = true;
    deny.disabled = true;
    try {
      foot.textContent = (await decide(approval.id, decision)).message;
    } catch (error) {
      foot.textContent = error instanceof Refused && error.message !== '' ? error.message : words.failed;
      approve.disabled = false;
      deny.disabled = false;
    }
    announce(foot.textContent);
  };
  approve.addEventListener('click', () => void send('approved'));
  deny.addEventListener('click', () => void send('denied'));
  card.append(make('div', {}, approve, deny));
  return card;
};
