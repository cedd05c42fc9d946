/**
 * Styles of the tools' page beyond those of other public pages. A verdict is a word with a sign,
 * and its colour only repeats it. Each colour has a contrast of 4.5 or more on its background.
 */
export const TOOLS_STYLE = `
:root { --pass: #1a6b35; --warning: #7a4d00; --fail: #a3171f; --unknown: #4a4f57; --info: #1d4f91; --line: #c8ccd2; --soft: #f0f2f4 }
main { max-width: 54rem; margin: 2rem auto; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 2.5rem }
h1 { font-size: 1.75rem; margin: 0 0 .25rem }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2rem 0 .75rem }
h3 { font-size: 1rem; margin: 0 }
.lead { color: var(--unknown); margin: 0 0 1.25rem }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .375rem; margin: 0 0 1.5rem; padding: 0 }
nav a { display: block; padding: .375rem .75rem; border: 1px solid var(--line); border-radius: 999px; font-size: .875rem; text-decoration: none }
nav a:hover { text-decoration: underline }
nav a[aria-current] { color: #ffffff; background: #1c1e21; border-color: #1c1e21 }
form.tool { background: var(--soft); border-radius: 8px; padding: 1rem }
.fields { display: grid; align-items: end; gap: .75rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); margin: 0 0 1rem }
.fields label { margin: 0; font-weight: 600; font-size: .875rem }
.fields small { font-weight: 400 }
form.tool input, form.tool select, textarea { box-sizing: border-box; display: block; width: 100%; min-height: 2.75rem; margin: .25rem 0 0; padding: .5rem .75rem; font: inherit; font-size: 1rem; font-weight: 400; color: #1c1e21; background: #ffffff; border: 1px solid #6b7280; border-radius: 6px }
textarea { min-height: 12rem; font: 13px/1.5 ui-monospace, monospace }
.wide { grid-column: 1 / -1 }
.problem { border-left: 4px solid var(--fail); padding: .5rem .75rem; margin: 0 0 1rem; background: var(--soft) }
.result { display: flex; gap: 1.25rem; align-items: center; margin: 0 0 1rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 8px; border-left: 6px solid var(--unknown) }
.result.pass { border-left-color: var(--pass) } .result.warning { border-left-color: var(--warning) } .result.fail { border-left-color: var(--fail) }
.result p { margin: .25rem 0 0 }
.grade { flex: none; width: 4.5rem; text-align: center }
.grade b { display: block; font-size: 3rem; line-height: 1 }
.grade span { font-size: .8125rem; color: var(--unknown) }
.badge { display: inline-block; flex: none; padding: .0625rem .5rem; border-radius: 4px; font-size: .8125rem; font-weight: 600; color: #ffffff; background: var(--unknown) }
.badge.pass { background: var(--pass) } .badge.warning { background: var(--warning) } .badge.fail { background: var(--fail) } .badge.info { background: var(--info) }
.checks { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)) }
.checks li { padding: .75rem; border: 1px solid var(--line); border-radius: 6px; font-size: .875rem }
.checks .head { display: flex; justify-content: space-between; gap: .5rem; align-items: center; margin: 0 0 .375rem }
.findings { list-style: none; margin: 0; padding: 0 }
.findings li { display: grid; grid-template-columns: 6.25rem 1fr; gap: .25rem .75rem; padding: .75rem 0; border-top: 1px solid var(--line) }
.findings p { margin: 0 }
.findings .next { margin-top: .25rem }
.from { color: var(--unknown); font-size: .8125rem }
pre { margin: .25rem 0 .75rem; padding: .625rem .75rem; background: var(--soft); border-radius: 6px; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
details { border-top: 1px solid var(--line); padding: .75rem 0 }
summary { cursor: pointer; font-weight: 600 }
dl { margin: .75rem 0 0 } dt { font: 600 13px/1.5 ui-monospace, monospace } dd { margin: 0 }
table { border-collapse: collapse; width: 100%; font-size: .875rem }
th, td { text-align: left; padding: .375rem .5rem .375rem 0; border-top: 1px solid var(--line); vertical-align: top }
footer { margin-top: 2rem; font-size: .875rem; color: var(--unknown) }
@media (max-width: 30rem) { .findings li { grid-template-columns: 1fr } .findings .badge { justify-self: start } body { padding: 0 } main { margin: 0; border: 0; border-radius: 0 } }
@media (prefers-color-scheme: dark) {
  :root { --pass: #1f7a3f; --warning: #8a5a00; --fail: #b3272f; --unknown: #b9bfc8; --info: #2a62ac; --line: #3d434b; --soft: #262a30 }
  .badge.unknown { color: #121417 }
  nav a[aria-current] { color: #121417; background: #f2f3f5; border-color: #f2f3f5 }
  form.tool input, form.tool select, textarea { color: #f2f3f5; background: #16181c; border-color: #8b929c }
}
`
