/** Two buttons under an answer; the second asks for the reason. */

import { announce, drawIcon, make } from './dom.ts';
import { sendFeedback, type TurnView } from './server.ts';
import { words } from './words.ts';

const UP = 'M6.5 9v8H4V9zM6.5 9l3-6c1.4 0 2 1 2 2l-.4 3h4.2c1 0 1.7.9 1.5 1.8l-1.2 5.7c-.2.9-.9 1.5-1.8 1.5H6.5';
const DOWN = 'M6.5 11V3H4v8zM6.5 11l3 6c1.4 0 2-1 2-2l-.4-3h4.2c1 0 1.7-.9 1.5-1.8l-1.2-5.7c-.2-.9-.9-1.5-1.8-1.5H6.5';

export const makeFeedback = (turn: TurnView): HTMLElement => {
  const up = make('button', { type: 'button', class: 'icon', title: words.helpful, 'aria-label': words.helpful }, drawIcon(UP));
  const down = make(
    'button',
    { type: 'button', class: 'icon', title: words.notHelpful, 'aria-label': words.notHelpful },
    drawIcon(DOWN),
  );
  const note = make('span', { class: 'quiet' });
  const reason = make('textarea', { rows: '2', maxlength: '2000', id: `reason-${turn.id}` });
  const form = make(
    'form',
    { class: 'reason' },
    make('label', { for: reason.id }, words.why),
    reason,
    make(
      'div',
      {},
      make('button', { type: 'submit', class: 'primary' }, words.sendFeedback),
      make('button', { type: 'button', class: 'plain' }, words.skipFeedback),
    ),
  );
  form.hidden = true;

  const show = (verdict: 'up' | 'down' | undefined): void => {
    up.setAttribute('aria-pressed', String(verdict === 'up'));
    down.setAttribute('aria-pressed', String(verdict === 'down'));
  };
  const send = async (verdict: 'up' | 'down', text: string): Promise<void> => {
    try {
      await sendFeedback(turn.turnId, verdict, text);
      show(verdict);
      form.hidden = true;
      note.textContent = words.thanks;
    } catch {
      note.textContent = words.failed;
    }
    announce(note.textContent);
  };
  show(turn.feedback?.verdict);
  reason.value = turn.feedback?.reason ?? '';
  up.addEventListener('click', () => void send('up', ''));
  down.addEventListener('click', () => {
    form.hidden = !form.hidden;
    note.textContent = '';
    if (form.hidden) return;
    form.scrollIntoView({ block: 'nearest' });
    reason.focus();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send('down', reason.value).then(() => down.focus());
  });
  form.querySelector('.plain')?.addEventListener('click', () => void send('down', '').then(() => down.focus()));
  reason.addEventListener('keydown', (event) => {
    // As in the question box; not while an input method still composes.
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    form.hidden = true;
    down.focus();
  });
  return make('div', { class: 'feedback' }, make('div', { class: 'verdicts' }, up, down, note), form);
};
