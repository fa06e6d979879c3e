/** The page: which thread is shown, what is asked, what comes in. */

import { announce, byId } from './dom.ts';
import { prepareEvidence } from './evidence.ts';
import * as server from './server.ts';
import { isMenuOpen, openMenu, prepareSidebar, showThreads } from './sidebar.ts';
import { makeTurn, type TurnElement } from './turn.ts';
import { fillWords, words } from './words.ts';

const box = byId<HTMLTextAreaElement>('question');
const scroll = byId('scroll');
const turns = new Map<string, { view: server.TurnView; readonly shown: TurnElement }>();
let thread = '';
let leave = (): void => {};

const isNearEnd = (): boolean => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
const toEnd = (): void => scroll.scrollTo({ top: scroll.scrollHeight });

const hasOpenTurn = (): boolean => [...turns.values()].some(({ view }) => view.state === 'open');

const showProblem = (text: string): void => {
  const problem = byId('problem');
  problem.textContent = text;
  problem.hidden = text === '';
};

const showState = (): void => {
  const isRunning = hasOpenTurn();
  byId('stop').hidden = !isRunning;
  byId('send').hidden = isRunning && box.value.trim() === '';
  byId('welcome').hidden = turns.size > 0;
};

const fitBox = (): void => {
  box.style.height = 'auto';
  box.style.height = `${Math.min(box.scrollHeight, 220)}px`;
};

const refreshThreads = async (): Promise<void> => {
  const { threads } = await server.listThreads();
  showThreads(threads, thread);
  const title = threads.find(({ id }) => id === thread)?.title ?? '';
  document.title = title === '' ? 'Threadwise' : `${title} – Threadwise`;
};

const putTurn = (view: server.TurnView): void => {
  const follows = isNearEnd();
  const known = turns.get(view.id);
  if (known === undefined) {
    const shown = makeTurn(view);
    turns.set(view.id, { view, shown });
    byId('turns').append(shown.element);
  } else {
    const isNew = known.view.state === 'open' && view.state === 'answered';
    known.view = view;
    known.shown.update(view);
    if (isNew) announce(words.answerReady);
  }
  showState();
  if (follows) toEnd();
};

const dropTurn = (id: string): void => {
  turns.get(id)?.shown.element.remove();
  turns.delete(id);
  showState();
};

const connect = (): void => {
  leave();
  leave = server.follow(thread, {
    onSnapshot: (views) => {
      const ids = new Set(views.map((view) => view.id));
      // What was just asked and is not stored yet stays.
      for (const [turnId, { view }] of turns) if (!ids.has(turnId) && view.turnId !== '') dropTurn(turnId);
      views.forEach(putTurn);
      showState();
    },
    onTurn: (view) => {
      putTurn(view);
      void refreshThreads().catch(() => {});
    },
    onProgress: ({ id: turnId, live }) => {
      const follows = isNearEnd();
      turns.get(turnId)?.shown.progress(live);
      if (live.kind === 'status') announce(turns.get(turnId)?.shown.element.querySelector('.answer')?.textContent ?? '');
      if (follows) toEnd();
    },
    onConnection: (isConnected) => showProblem(isConnected ? '' : words.offline),
  });
};

const openThread = (id: string): void => {
  thread = id;
  turns.clear();
  byId('turns').replaceChildren();
  showProblem('');
  connect();
  showState();
};

const messageOf = (error: unknown): string =>
  error instanceof server.Refused && error.message !== '' ? error.message : words.failed;

const ask = async (): Promise<void> => {
  const text = box.value.trim();
  if (text === '') return;
  const id = server.newId();
  showProblem('');
  box.value = '';
  fitBox();
  putTurn({ id, turnId: '', question: text, state: 'open', live: { kind: 'status', html: '' }, feedback: null });
  toEnd();
  if (location.hash !== `#/${thread}`) history.replaceState(null, '', `#/${thread}`);
  try {
    await server.ask(thread, id, text);
    await refreshThreads();
  } catch (error) {
    if (turns.get(id)?.view.turnId !== '') return;
    dropTurn(id);
    if (box.value === '') box.value = text;
    fitBox();
    showProblem(messageOf(error));
  }
  showState();
};

/** A question that was just sent may not be worked on yet: asked again for a moment. */
const stop = async (): Promise<void> => {
  for (let tries = 0; tries < 5 && hasOpenTurn(); tries += 1) {
    const { stopped } = await server.stop(thread);
    if (stopped) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
};

const startThread = (): void => {
  openMenu(false);
  history.pushState(null, '', location.pathname);
  openThread(server.newId());
  showThreadsAgain();
  box.focus();
};

const showThreadsAgain = (): void => {
  refreshThreads().catch((error: unknown) => showProblem(messageOf(error)));
};

const showPage = (): void => {
  const [, id] = /^#\/([\w-]{8,40})$/u.exec(location.hash) ?? [];
  if (id !== undefined && id === thread) return;
  openThread(id ?? server.newId());
  showThreadsAgain();
  box.focus();
};

const askForToken = (): void => {
  byId('enter').hidden = false;
  byId('ask').hidden = true;
  byId('token').focus();
};

const enterWith = async (token: string): Promise<void> => {
  try {
    await server.enter(token);
    byId('enter').hidden = true;
    byId('ask').hidden = false;
    showPage();
  } catch (error) {
    byId('enter-problem').textContent = messageOf(error);
    askForToken();
  }
};

const prepare = (): void => {
  fillWords();
  prepareEvidence();
  prepareSidebar();
  box.addEventListener('input', () => {
    fitBox();
    showState();
  });
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void ask();
  });
  byId('ask').addEventListener('submit', (event) => {
    event.preventDefault();
    void ask();
  });
  byId('stop').addEventListener('click', () => {
    stop().catch((error: unknown) => showProblem(messageOf(error)));
    box.focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || byId<HTMLDialogElement>('evidence').open) return;
    if (isMenuOpen()) {
      openMenu(false);
      byId('menu').focus();
    } else if (hasOpenTurn()) stop().catch((error: unknown) => showProblem(messageOf(error)));
  });
  byId('new').addEventListener('click', startThread);
  byId('new-small').addEventListener('click', startThread);
  byId('enter').addEventListener('submit', (event) => {
    event.preventDefault();
    void enterWith(byId<HTMLInputElement>('token').value.trim());
  });
  window.addEventListener('hashchange', showPage);
  // Browsers keep six connections to a server: pages that nobody looks at leave theirs to others.
  document.addEventListener('visibilitychange', () => {
    if (thread === '') return;
    if (document.hidden) leave();
    else connect();
  });
};

const begin = async (): Promise<void> => {
  prepare();
  const [, token] = /^#token=(.+)$/u.exec(location.hash) ?? [];
  if (token !== undefined) {
    history.replaceState(null, '', location.pathname);
    await enterWith(decodeURIComponent(token));
    return;
  }
  try {
    await server.listThreads();
    showPage();
  } catch (error) {
    if (error instanceof server.Refused && error.status === 401) askForToken();
    else {
      showPage();
      showProblem(messageOf(error));
    }
  }
};

void begin();
