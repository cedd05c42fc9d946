export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #24211e; --soft: #756d64; --line: #e6e1da;
  --accent: #8a3f24; --wash: #f4efe8; --good: #2f6b3f; --bad: #a4262c; --warn: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1b1917; --card: #24211f; --ink: #ece7e1; --soft: #a59b90; --line: #3a3531;
    --accent: #e39a78; --wash: #2d2926; --good: #7fc492; --bad: #f0898d; --warn: #e0b25c;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif }
a { color: inherit; text-decoration: none }
a:hover { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
header.top { background: var(--card); border-bottom: 1px solid var(--line) }
.wide { max-width: 1080px; margin: 0 auto; padding: 0 20px }
header.top .wide { display: flex; align-items: center; gap: 24px; min-height: 56px; flex-wrap: wrap }
.brand { font-weight: 650; letter-spacing: -.01em }
.brand small { font-weight: 400; color: var(--soft); margin-left: 6px; font-size: 13px }
nav { display: flex; gap: 4px; margin-left: auto }
nav a { padding: 6px 12px; border-radius: 6px; color: var(--soft) }
nav a[aria-current] { background: var(--wash); color: var(--ink) }
main.wide { padding-top: 22px; padding-bottom: 48px }
h1 { font-size: 20px; line-height: 1.3; margin: 0 0 10px; overflow-wrap: anywhere }
h2 { font-size: 15px; margin: 28px 0 10px }
.soft { color: var(--soft) }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden }
.alarm { background: var(--wash); border: 1px solid var(--line); border-left: 3px solid var(--warn);
  border-radius: 6px; padding: 8px 12px; margin: 0 0 14px }
form.filter { display: flex; gap: 8px; margin-bottom: 14px; flex-wrap: wrap }
input, button, select { font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 7px; padding: 7px 11px; min-width: 0 }
form.filter input[type=search] { flex: 2 1 220px }
form.filter input[name=account] { flex: 1 1 130px }
form.filter input[name=batch] { flex: 1 1 160px }
button { cursor: pointer; background: var(--accent); border-color: var(--accent); color: var(--card);
  font-weight: 550 }
button.quiet { background: transparent; color: var(--ink); border-color: var(--line); font-weight: 400 }
ol.mails { list-style: none; margin: 0; padding: 0 }
ol.mails li + li { border-top: 1px solid var(--line) }
ol.mails a { display: grid; grid-template-columns: minmax(0, 15em) minmax(0, 1fr) auto auto; gap: 4px 16px;
  padding: 10px 16px; align-items: center }
ol.mails a:hover { background: var(--wash); color: inherit }
ol.mails .who, ol.mails .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
ol.mails .what { font-weight: 550 }
time { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap }
.chip { font-size: 12px; padding: 1px 8px; border-radius: 99px; border: 1px solid var(--line);
  color: var(--soft); white-space: nowrap }
.chip.bad { color: var(--bad); border-color: currentColor }
.chip.warn { color: var(--warn); border-color: currentColor }
.chip.good { color: var(--good); border-color: currentColor }
.empty { padding: 48px 20px; text-align: center; color: var(--soft) }
.pages { display: flex; justify-content: space-between; align-items: center; margin-top: 12px;
  color: var(--soft) }
.pages a, .tabs a { color: var(--accent) }
.crumb { font-size: 14px; color: var(--soft); display: inline-block; margin-bottom: 10px }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px;
  margin: 10px 0 18px; font-size: 14px }
dl.facts dt { color: var(--soft) }
dl.facts dd { margin: 0; overflow-wrap: anywhere }
.tabs { display: flex; gap: 2px; border-bottom: 1px solid var(--line); overflow-x: auto }
.tabs a { padding: 8px 14px; color: var(--soft); border-bottom: 2px solid transparent; white-space: nowrap }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent) }
iframe { display: block; width: 100%; height: 70vh; min-height: 420px; border: 0; background: #ffffff }
pre { margin: 0; padding: 16px; overflow: auto; font: 13px/1.5 ui-monospace, 'DejaVu Sans Mono', monospace;
  white-space: pre-wrap; overflow-wrap: anywhere }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: 14px }
th { text-align: left; font-weight: 500; color: var(--soft) }
th, td { padding: 8px 16px; vertical-align: top }
tr + tr td, thead + tbody td, tbody tr + tr th { border-top: 1px solid var(--line) }
td.num, th.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
td.name { white-space: nowrap; color: var(--soft) }
td.value { overflow-wrap: anywhere }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 10px }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 12px 16px }
.figures b { display: block; font-size: 24px; line-height: 1.2; font-variant-numeric: tabular-nums;
  font-weight: 600 }
.figures span { color: var(--soft); font-size: 13px }
.switches { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 0 24px;
  padding: 8px 16px }
.switches label { display: flex; align-items: center; justify-content: space-between; gap: 12px;
  padding: 7px 0; font-size: 14px }
.switches input[type=number] { width: 92px; text-align: right; padding: 4px 8px }
.switches input[type=checkbox] { width: 18px; height: 18px; accent-color: var(--accent) }
.switches .on { color: var(--bad); font-weight: 600 }
.actions { display: flex; gap: 8px; padding: 12px 16px; border-top: 1px solid var(--line);
  background: var(--wash); flex-wrap: wrap }
@media (max-width: 640px) {
  .wide, main.wide { padding-left: 14px; padding-right: 14px }
  ol.mails .chip.plain { display: none }
  header.top .wide { gap: 8px; padding-top: 8px; padding-bottom: 8px }
  nav a { padding: 4px 10px }
  ol.mails a { grid-template-columns: minmax(0, 1fr) auto; padding: 10px 14px }
  ol.mails .what { grid-column: 1 / -1; order: 3 }
  ol.mails .chip { order: 4; justify-self: start }
  ol.mails time { text-align: right }
  form.filter input[name=account], form.filter input[name=batch] { flex: 1 1 40% }
  th, td { padding: 7px 12px }
}
`
