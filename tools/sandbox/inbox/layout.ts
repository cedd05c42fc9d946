import { html, type Markup } from './html.ts'

export type Place = 'inbox' | 'status'

export const layout = (title: string, place: Place, content: Markup): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Letterloom sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header class="top"><div class="wide">
<a class="brand" href="/">Letterloom <small>provider sandbox</small></a>
<nav>${link('/', 'Inbox', place === 'inbox')}${link('/status', 'Status', place === 'status')}</nav>
</div></header>
<main class="wide">${content}</main>
</body>
</html>
`

const link = (href: string, name: string, isHere: boolean): Markup =>
  isHere
    ? html`<a href="${href}" aria-current="page">${name}</a>`
    : html`<a href="${href}">${name}</a>`

/** `2026-11-21 12:06:42` in UTC, as in logs. */
export const when = (time: string): Markup =>
  html`<time datetime="${time}" title="${time}">${time.slice(0, 19).replace('T', ' ')}</time>`
