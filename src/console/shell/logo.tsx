import './logo.css'

/** The name, with a letter woven of two threads. */
export function Logo() {
  return (
    <span className="logo">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="logo-ground" />
        <path d="M7 11h18v11H7z" className="logo-thread" />
        <path d="m7 11.5 9 6.5 9-6.5" className="logo-thread" />
      </svg>
      Letterloom
    </span>
  )
}
