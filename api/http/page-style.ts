import { type Brand, buttonColors, colorOr } from '../../src/domain/content/brand.ts'

const BACKGROUND = '#f5f6f7'

/**
 * Returns the style of a public page in an organization's colours. Only the text of buttons stands
 * on a chosen colour; it is black or white, one of which always has a contrast of 4.5 or more.
 */
export function pageStyle(brand: Brand | undefined): string {
  const button = buttonColors(brand)
  return `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1e21; background: ${colorOr(brand?.backgroundColor, BACKGROUND)}; margin: 0; padding: 1rem }
main { max-width: 28rem; margin: 10vh auto 0; padding: 1.5rem; background: #ffffff; border: 1px solid #c8ccd2; border-radius: 8px; overflow-wrap: anywhere }
h1 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 1rem }
p { margin: 0 0 1rem }
main > :last-child { margin-bottom: 0 }
.sender { font-weight: 600; margin: 0 0 .25rem }
small { font-size: .875rem; color: #51565e }
small { display: block }
form { margin: 0 0 1rem }
fieldset { border: 0; margin: 0 0 1rem; padding: 0 }
legend { padding: 0; margin: 0 0 .5rem }
.topic { display: flex; gap: .75rem; align-items: flex-start; padding: .5rem 0 }
input[type=checkbox] { width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; flex: none }
label { display: block; margin: 0 0 1rem }
input[type=password], input[type=text] { box-sizing: border-box; display: block; width: 100%; min-height: 2.75rem; margin: .25rem 0; padding: .5rem .75rem; font: inherit; color: inherit; background: transparent; border: 1px solid #6b7280; border-radius: 6px }
button { font: inherit; min-height: 2.75rem; max-width: 100%; padding: .5rem 1.2rem; border: 1px solid #6b7280; border-radius: 6px; color: ${button.text}; background: ${button.background}; cursor: pointer }
button.quiet { color: #1c1e21; background: #ffffff }
a { color: #1c1e21 }
:focus-visible { outline: 3px solid #1c1e21; outline-offset: 2px }
@media (prefers-color-scheme: dark) {
  body { color: #f2f3f5; background: #121417 }
  main { background: #1c1f24; border-color: #3d434b }
  small { color: #b9bfc8 }
  button { border-color: #8b929c }
  button.quiet { color: #f2f3f5; background: #1c1f24 }
  a { color: #f2f3f5 }
  :focus-visible { outline-color: #f2f3f5 }
}
`
}
