import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link, type LinkProps } from '@tanstack/react-router'
import './button.css'

interface Look {
  /** One primary button a page. */
  look?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: ReactNode
}

type ButtonProps = ComponentProps<'button'> & Look & { isBusy?: boolean }

/** While its work runs it is busy, not disabled: it keeps the focus and cannot be pressed twice. */
export function Button({ look = 'plain', icon, isBusy = false, children, ...rest }: ButtonProps) {
  const { type = 'button', onClick } = rest
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isBusy) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type
      type={type}
      className={`button ${look}`}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={press}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : icon}
      {children}
    </button>
  )
}

/** A link that looks like a button: it leads somewhere and changes nothing. */
export function ButtonLink({
  look = 'plain',
  icon,
  children,
  ...rest
}: LinkProps & Look & { children: ReactNode }) {
  return (
    <Link {...rest} className={`button ${look}`}>
      {icon}
      {children}
    </Link>
  )
}
