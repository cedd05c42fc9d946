// Before the first paint, so that who chose a theme does not see the other one flash by.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is off: the system's theme stays.
}
