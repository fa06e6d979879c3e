import type { SeenButton, SeenEmbed, SeenMessage } from './driver.ts';

/** A channel or thread as a page, for pictures in the documentation. Self-contained: no script, no outside file. */

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const inline = (text: string): string =>
  escapeHtml(text)
    .replaceAll(/\\([\\*_~`|>#[\]()@.+-])/g, (_whole, mark: string) => `&#${mark.charCodeAt(0)};`)
    .replaceAll(/`([^`\n]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '<b>$1</b>')
    .replaceAll(/\*([^*\n]+)\*/g, '<i>$1</i>')
    .replaceAll(/\[([^\]\n]+)\]\(&lt;?(https?:[^)\s]+?)(?:&gt;)?\)/g, '<a href="$2">$1</a>')
    .replaceAll(/&lt;@!?(\d+)&gt;/g, '<span class="ping">@$1</span>')
    .replaceAll(/(^|\n)-# ([^\n]*)/g, '$1<small>$2</small>')
    .replaceAll(/(^|\n)&gt; ([^\n]*)/g, '$1<q>$2</q>');

/** Discord's own Markdown, as far as the assistant writes it: fences, code, bold, links, quotes, small text. */
export const discordMarkdownToHtml = (text: string): string =>
  text
    .split(/```[a-z]*\n?/)
    .map((piece, index) => (index % 2 === 1 ? `<pre>${escapeHtml(piece)}</pre>` : inline(piece).replaceAll('\n', '<br>')))
    .join('');

const STYLE = `
body{margin:0;background:#313338;color:#dbdee1;font:16px/1.4 "gg sans","Noto Sans",system-ui,sans-serif}
header{padding:12px 16px;border-bottom:1px solid #26272b;font-weight:600;color:#f2f3f5}
main{padding:8px 0;max-width:760px}
article{display:grid;grid-template-columns:56px 1fr;padding:8px 16px}
.face{width:40px;height:40px;border-radius:50%;display:grid;place-items:center;color:#fff;font-weight:600}
.name{font-weight:600;color:#f2f3f5}.tag{background:#5865f2;border-radius:4px;font-size:11px;padding:1px 5px;margin-left:6px;color:#fff}
time,.edited,small{color:#949ba4;font-size:12px;margin-left:8px}small{margin-left:0}
.reply{grid-column:2;color:#b5bac1;font-size:13px}
pre{background:#2b2d31;border:1px solid #1e1f22;border-radius:4px;padding:8px;white-space:pre-wrap;margin:6px 0}
code{background:#2b2d31;border-radius:3px;padding:1px 4px}q{border-left:4px solid #4e5058;padding-left:10px;display:block;quotes:none}
a{color:#00a8fc;text-decoration:none}.ping{background:#3c4270;border-radius:3px;color:#c9cdfb}
button{background:#4e5058;color:#fff;border:0;border-radius:8px;padding:8px 14px;margin:6px 8px 0 0;font:inherit;font-size:14px}
button.main{background:#5865f2}
.embed{background:#2b2d31;border-left:4px solid #4e5058;border-radius:4px;padding:10px 14px;margin-top:6px;max-width:520px;font-size:14px;overflow-wrap:anywhere}
.embed h4{margin:0 0 6px;font-size:16px;color:#f2f3f5}.embed h4.link{color:#00a8fc}.fields{display:grid;grid-template-columns:repeat(3,1fr);gap:8px;margin-top:8px}
.fields b{display:block;color:#f2f3f5}.fields .wide{grid-column:1/-1}
.only{color:#949ba4;font-size:12px;margin-top:4px}.thinking{color:#949ba4;font-style:italic}`;

/** Title, description, then the fields, three beside each other. */
const embedHtml = ({ title, url, description, color, fields }: SeenEmbed, named: (text: string) => string): string => {
  const words = (text: string): string => discordMarkdownToHtml(named(text));
  const cells = fields.map(
    ({ name, value, inline: isInline }) => `<div${isInline ? '' : ' class="wide"'}><b>${words(name)}</b>${words(value)}</div>`,
  );
  const border = color === null ? '' : ` style="border-left-color:#${color.toString(16).padStart(6, '0')}"`;
  return `<div class="embed"${border}><h4${url === '' ? '' : ' class="link"'}>${words(title)}</h4>${words(description)}<div class="fields">${cells.join('')}</div></div>`;
};

const rowHtml = (row: readonly SeenButton[]): string =>
  `<div>${row.map(({ label, style }) => `<button type="button"${style === 1 ? ' class="main"' : ''}>${escapeHtml(label)}</button>`).join('')}</div>`;

const hue = (id: string): number => Number(BigInt(id) % 360n);

export const renderMessages = (title: string, messages: readonly SeenMessage[], names: ReadonlyMap<string, string>): string => {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const named = (text: string): string =>
    text.replaceAll(/<@!?(\d+)>/g, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole));
  const articles = messages.map((message) => {
    const replied = message.replyTo === null ? undefined : byId.get(message.replyTo);
    const body = discordMarkdownToHtml(named(message.text));
    return `<article>${
      replied === undefined
        ? ''
        : `<div class="reply">↱ <b>${escapeHtml(replied.author)}</b> ${escapeHtml(named(replied.text).slice(0, 80))}</div>`
    }<div class="face" style="grid-column:1;background:hsl(${hue(message.authorId)} 45% 45%)">${escapeHtml(message.author.slice(0, 1))}</div>
<div style="grid-column:2"><span class="name">${escapeHtml(message.author)}</span>${message.isBot ? '<span class="tag">APP</span>' : ''}<time>${new Date(message.at).toISOString().slice(11, 16)}</time>
<div class="${message.isThinking ? 'thinking' : 'text'}">${body}${message.isEdited ? '<span class="edited">(edited)</span>' : ''}</div>${message.cards.map((card) => embedHtml(card, named)).join('')}${message.rows.map(rowHtml).join('')}${message.isEphemeral ? '<div class="only">Only you can see this</div>' : ''}</div></article>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><header># ${escapeHtml(title)}</header><main>${articles.join('\n')}</main></body></html>`;
};
