/** A thread as the simulator received it, as a page that stands alone: for pictures and for people who try the assistant. */
import type { VisibleMessage } from './people.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
const decode = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Code keeps its characters; the rest of mrkdwn knows bold, italics, strikes, links, mentions and quotes. */
const renderInline = (text: string, nameOf: (userId: string) => string): string =>
  text
    .split(/(`[^`\n]+`|\*<[^<>\n]+>\*|<[^<>\n]+>)/)
    .map((piece) => {
      if (/^`[^`]+`$/.test(piece)) return `<code>${escapeHtml(decode(piece.slice(1, -1)))}</code>`;
      if (/^\*<.+>\*$/.test(piece)) return `<strong>${renderInline(piece.slice(1, -1), nameOf)}</strong>`;
      if (/^<.+>$/.test(piece)) {
        const [target = '', label] = piece.slice(1, -1).split('|');
        if (target.startsWith('@')) return `<span class="mention">@${escapeHtml(nameOf(target.slice(1)))}</span>`;
        if (target.startsWith('#')) return `<span class="mention">#${escapeHtml(label ?? target.slice(1))}</span>`;
        if (target.startsWith('!')) return `<span class="mention loud">${escapeHtml(label ?? target.replace('!', '@'))}</span>`;
        return `<a>${escapeHtml(decode(label ?? target))}</a>`;
      }
      return escapeHtml(decode(piece))
        .replace(/(^|[\s(])\*([^*\n]+)\*(?=$|[\s).,:;!?])/g, '$1<strong>$2</strong>')
        .replace(/(^|[\s(])_([^_\n]+)_(?=$|[\s).,:;!?])/g, '$1<em>$2</em>')
        .replace(/(^|[\s(])~([^~\n]+)~(?=$|[\s).,:;!?])/g, '$1<s>$2</s>');
    })
    .join('');

const renderText = (text: string, nameOf: (userId: string) => string): string =>
  text
    // A fence brings its own lines; those around it would show as gaps.
    .split(/\n{0,2}```\n?([\s\S]*?)```\n{0,2}/)
    .map((piece, index) => {
      if (index % 2 === 1) return `<pre>${escapeHtml(decode(piece))}</pre>`;
      return piece
        .split('\n')
        .map((line) => {
          const quote = /^(?:>|&gt;)\s?(.*)$/.exec(line)?.[1];
          return quote === undefined ? renderInline(line, nameOf) : `<blockquote>${renderInline(quote, nameOf)}</blockquote>`;
        })
        .join('<br>')
        .replaceAll('</blockquote><br>', '</blockquote>');
    })
    .join('');

const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1d1c1d, #d1d2d3); --soft: light-dark(#616061, #9a9b9e);
  --paper: light-dark(#fff, #1a1d21); --line: light-dark(#e3e3e3, #35373b); --code: light-dark(#f6f6f6, #222529); }
body { margin: 0; background: var(--paper); color: var(--text); font: 15px/1.46 system-ui, sans-serif; }
main { max-width: 680px; margin: 0 auto; padding: 16px 20px; }
header { font-weight: 700; border-bottom: 1px solid var(--line); padding-bottom: 10px; margin-bottom: 8px; }
article { display: grid; grid-template-columns: 36px 1fr; gap: 0 10px; padding: 8px 0; overflow-wrap: anywhere; }
.avatar { width: 36px; height: 36px; border-radius: 8px; display: grid; place-items: center; color: #fff; font-weight: 700; }
.name { font-weight: 700; } .app { font-size: 10px; padding: 1px 4px; border-radius: 3px; background: var(--line); color: var(--soft); }
.time, .only { color: var(--soft); font-size: 12px; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: 8px; overflow-x: auto; margin: 4px 0; }
code { background: var(--code); border: 1px solid var(--line); border-radius: 4px; padding: 0 3px; }
blockquote { margin: 2px 0; padding-left: 10px; border-left: 4px solid var(--line); color: var(--soft); }
.mention { background: light-dark(#e8f5fa, #1d3b4f); color: light-dark(#1264a3, #6fb6e0); border-radius: 3px; padding: 0 2px; }
.loud { background: #f2c74455; } a { color: light-dark(#1264a3, #6fb6e0); }
button { font: inherit; font-weight: 600; padding: 3px 12px; border-radius: 8px; border: 1px solid var(--line); background: none; color: inherit; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 6px; }`;

const COLOURS = ['#2b6cb0', '#2f855a', '#9c4221', '#6b46c1', '#b83280', '#285e61'];

const colourOf = (name: string): string =>
  COLOURS[[...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % COLOURS.length] ?? '#2b6cb0';

export const renderThread = (title: string, messages: readonly VisibleMessage[], nameOf: (userId: string) => string): string => {
  const items = messages.map((message) => {
    const time = new Date(Number(message.ts) * 1000).toISOString().slice(11, 16);
    const labels = [...message.buttons.map(({ label }) => label), ...message.menus.map((label) => `${label} ▾`)];
    const buttons = labels.map((label) => `<button type="button">${escapeHtml(label)}</button>`).join('');
    return `<article data-ts="${message.ts}">
<div class="avatar" style="background:${colourOf(message.author)}">${escapeHtml([...message.author][0] ?? '?')}</div>
<div><span class="name">${escapeHtml(message.author)}</span> ${message.isBot ? '<span class="app">APP</span> ' : ''}<span class="time">${time}</span>
${message.onlyFor === undefined ? '' : '<div class="only">Only visible to you</div>'}
<div class="text">${renderText(message.text, nameOf)}</div>${buttons === '' ? '' : `<div class="buttons">${buttons}</div>`}</div>
</article>`;
  });
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>${STYLE}</style></head>
<body><main><header>${escapeHtml(title)}</header>
${items.join('\n')}
</main></body></html>
`;
};
