const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'theme'

export const isTheme = (text: string): text is Theme => THEMES.some((each) => each === text)

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'] ?? ''
  return isTheme(chosen) ? chosen : 'system'
}

/** The choice is of this browser; `public/theme.js` reads it before the first paint. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme']
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset['theme'] = theme
    localStorage.setItem(KEY, theme)
  }
}
