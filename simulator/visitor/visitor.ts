/** The visitor's page: shows what each platform shows, and says what the visitor says. */
import type { VisitorState } from '../visitor.ts';
import type { MessageView, PlatformView } from '../visitor-platforms.ts';

type Name = keyof VisitorState;

const REFRESH_MS = 600;

const element = <K extends keyof HTMLElementTagNameMap>(tag: K, className = '', text = ''): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};

const act = async (body: Record<string, string>): Promise<void> => {
  const response = await fetch('/act', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) alert(((await response.json()) as { message: string }).message);
};

const createPane = (platform: Name, title: string) => {
  const section = document.getElementById(platform) as HTMLElement;
  const bar = element('div', 'bar');
  const places = element('select');
  const people = element('select');
  const list = element('div', 'list');
  const form = element('form');
  const where = element('span', 'where');
  const input = element('input');
  const send = element('button', '', 'Send');
  places.setAttribute('aria-label', 'Place');
  people.setAttribute('aria-label', 'Person');
  input.setAttribute('aria-label', `Message in ${title}`);
  input.placeholder = '@Threadwise how long is the warranty?   or   /ask …';
  list.setAttribute('aria-live', 'polite');
  bar.append(element('h2', '', title), people, places);
  form.append(where, input, send);
  section.append(bar, list, form);
  let thread = '';
  let shown = '';

  const leaveThread = (): void => {
    thread = '';
    where.textContent = '';
  };
  places.onchange = leaveThread;
  form.onsubmit = (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === '') return;
    input.value = '';
    const common = { platform, person: people.value, place: places.value, thread };
    const command = /^\/ask\b\s*/.exec(text);
    void act(
      command === null ? { ...common, action: 'say', text } : { ...common, action: 'slash', text: text.slice(command[0].length) },
    );
  };

  const renderMessage = (message: MessageView, inThread: string): HTMLElement => {
    const box = element('div', 'message');
    box.append(element('div', message.isBot ? 'who bot' : 'who', message.author));
    if (message.isPrivate) box.append(element('div', 'private', 'Only you can see this'));
    box.append(element('div', 'text', message.text), ...message.files.map((name) => element('div', 'file', `📎 ${name}`)));
    const tools = element('div', 'tools');
    // Whoever is chosen when the button is pressed, not when it was drawn.
    const common = () => ({ platform, person: people.value, place: places.value, thread: inThread, message: message.id });
    for (const button of message.buttons) {
      const made = element('button', '', button.label);
      made.onclick = () => void act({ ...common(), action: 'click', button: button.id });
      tools.append(made);
    }
    if (inThread === '' && message.thread !== '') {
      const reply = element('button', '', 'Reply in thread');
      reply.onclick = () => {
        thread = message.thread;
        where.textContent = 'in the thread';
        input.focus();
      };
      tools.append(reply);
    }
    if (!message.isBot) {
      const remove = element('button', '', 'Delete');
      remove.onclick = () => void act({ ...common(), action: 'delete' });
      tools.append(remove);
    }
    box.append(tools);
    if (message.replies.length > 0) {
      const replies = element('div', 'replies');
      replies.append(...message.replies.map((reply) => renderMessage(reply, platform === 'discord' ? message.thread : '')));
      box.append(replies);
    }
    return box;
  };

  const fill = (select: HTMLSelectElement, items: readonly { readonly id: string; readonly name: string }[]): void => {
    if (select.options.length === items.length) return;
    const value = select.value;
    select.replaceChildren(...items.map(({ id, name }) => new Option(name, id, false, id === value)));
  };

  const asked = new Set<string>();
  const show = (view: PlatformView): void => {
    fill(places, view.places);
    fill(people, view.people);
    for (const dialog of view.dialogs) {
      if (asked.has(dialog.id)) continue;
      asked.add(dialog.id);
      const text = prompt(dialog.title);
      if (text !== null) void act({ platform, action: 'submit', person: dialog.person, message: dialog.id, text });
    }
    const place = view.places.find(({ id }) => id === places.value);
    const next = JSON.stringify(place);
    if (next === shown) return;
    shown = next;
    const messages = place?.messages ?? [];
    list.replaceChildren(
      ...(messages.length === 0
        ? [element('p', 'empty', 'Nothing here yet.')]
        : messages.map((message) => renderMessage(message, ''))),
    );
    list.scrollTop = list.scrollHeight;
  };
  return { show };
};

const slack = createPane('slack', 'Slack');
const discord = createPane('discord', 'Discord');

const refresh = async (): Promise<void> => {
  try {
    const state = (await (await fetch('/state')).json()) as VisitorState;
    slack.show(state.slack);
    discord.show(state.discord);
  } finally {
    setTimeout(() => void refresh(), REFRESH_MS);
  }
};

void refresh();
