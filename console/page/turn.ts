/** One question with its answer, as it grows and as it stays. */

import { makeApproval } from './approval.ts';
import { make } from './dom.ts';
import { openEvidence } from './evidence.ts';
import { makeFeedback } from './feedback.ts';
import { makeFiles } from './files.ts';
import type { Citation, Live, TurnView } from './server.ts';
import { words } from './words.ts';

const FIXED = new Set(['empty_question', 'question_too_long', 'rate_limited', 'not_allowed', 'cancelled', 'folded_in']);

const makeSources = (citations: readonly Citation[]): HTMLElement => {
  const items = citations.map((citation) => {
    const heading = citation.heading.filter((part) => part !== citation.title).at(-1);
    const detail = [heading, citation.location, citation.date]
      .filter((part) => part !== undefined && part !== null && part !== '')
      .join(' · ');
    const button = make(
      'button',
      { type: 'button', class: 'source', 'data-n': String(citation.n) },
      make('span', { class: 'n' }, String(citation.n)),
      make(
        'span',
        { class: 'what' },
        make('span', { class: 'title' }, citation.title),
        make('span', { class: 'detail' }, detail === '' ? citation.source : detail),
      ),
    );
    return make('li', {}, button);
  });
  return make(
    'section',
    { class: 'sources', 'aria-label': words.sources },
    make('h3', {}, words.sources),
    make('ul', {}, ...items),
  );
};

const openCitation = (event: Event, citations: readonly Citation[]): void => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-n]') : null;
  const citation = citations.find(({ n }) => String(n) === button?.dataset['n']);
  if (citation !== undefined) void openEvidence(citation);
};

const showLive = (body: HTMLElement, live: Live): void => {
  body.className = live.kind === 'status' ? 'answer status' : 'answer partial';
  body.innerHTML = live.html;
};

const showAnswer = (body: HTMLElement, after: HTMLElement, turn: TurnView): void => {
  const citations = turn.citations ?? [];
  body.className = turn.answered === true ? 'answer' : 'answer unanswered';
  body.innerHTML = turn.html ?? '';
  for (const chip of body.querySelectorAll<HTMLElement>('.cite')) {
    const citation = citations.find(({ n }) => String(n) === chip.dataset['n']);
    chip.setAttribute('aria-label', `${words.source} ${chip.dataset['n']}${citation === undefined ? '' : `: ${citation.title}`}`);
    chip.title = citation?.title ?? '';
  }
  const parts: HTMLElement[] = [];
  if (turn.stopReason === 'not_known') body.prepend(make('p', { class: 'tag' }, words.notAnswered));
  if ((turn.note ?? '') !== '') parts.push(make('p', { class: 'note' }, turn.note ?? ''));
  if ((turn.files ?? []).length > 0) parts.push(makeFiles(turn.turnId, turn.files ?? []));
  if (citations.length > 0) parts.push(makeSources(citations));
  if (!FIXED.has(turn.stopReason ?? '')) parts.push(makeFeedback(turn));
  after.replaceChildren(...parts);
};

export interface TurnElement {
  readonly element: HTMLElement;
  update(turn: TurnView): void;
  progress(live: Live): void;
}

export const makeTurn = (first: TurnView): TurnElement => {
  let turn = first;
  const question = make('h2', { class: 'question' });
  const body = make('div', { class: 'answer' });
  const approvals = make('div', { class: 'approvals' });
  const after = make('div', { class: 'after' });
  const element = make('article', { class: 'turn', 'aria-busy': 'false' }, question, body, approvals, after);
  element.addEventListener('click', (event) => openCitation(event, turn.citations ?? []));
  const update = (next: TurnView): void => {
    turn = next;
    question.textContent = turn.question === '' ? '…' : turn.question;
    approvals.replaceChildren(...(turn.approvals ?? []).map(makeApproval));
    element.setAttribute('aria-busy', String(turn.state === 'open'));
    if (turn.state === 'answered') showAnswer(body, after, turn);
    else if (turn.live !== null) showLive(body, turn.live);
    else {
      body.className = 'answer status';
      body.textContent = turn.state === 'dropped' ? words.dropped : '';
    }
  };
  update(first);
  return {
    element,
    update,
    progress: (live) => {
      if (turn.state === 'open') showLive(body, live);
    },
  };
};
