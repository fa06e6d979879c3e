/** The list of threads, by day; on a phone a drawer. */

import { byId, make } from './dom.ts';
import type { ThreadEntry } from './server.ts';
import { words } from './words.ts';

const dayOf = (time: number): string => {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  if (time >= start.getTime()) return words.today;
  return time >= start.getTime() - 86_400_000 ? words.yesterday : words.earlier;
};

export const showThreads = (threads: readonly ThreadEntry[], current: string): void => {
  const items: HTMLElement[] = [];
  let day = '';
  for (const thread of threads) {
    if (dayOf(thread.updatedAt) !== day) {
      day = dayOf(thread.updatedAt);
      items.push(make('li', { class: 'day' }, day));
    }
    const link = make(
      'a',
      { href: `#/${thread.id}`, ...(thread.id === current ? { 'aria-current': 'page' } : {}) },
      thread.title === '' ? '…' : thread.title,
    );
    items.push(make('li', {}, link));
  }
  byId('thread-list').replaceChildren(...items);
  byId('thread-list').hidden = threads.length === 0;
  byId('no-threads').hidden = threads.length > 0;
};

export const openMenu = (isOpen: boolean): void => {
  document.body.classList.toggle('menu-open', isOpen);
  byId('menu').setAttribute('aria-expanded', String(isOpen));
  byId('shade').hidden = !isOpen;
  if (isOpen) byId('new').focus();
};

export const isMenuOpen = (): boolean => document.body.classList.contains('menu-open');

export const prepareSidebar = (): void => {
  byId('menu').addEventListener('click', () => openMenu(!isMenuOpen()));
  byId('shade').addEventListener('click', () => openMenu(false));
  byId('thread-list').addEventListener('click', () => openMenu(false));
};
