import { type ReactNode, useEffect, useRef } from 'react'
import './page.css'

interface PageProps {
  title: string
  /** One sentence: what the page is for. */
  about?: ReactNode
  actions?: ReactNode
  /** Above the title: where one is. */
  above?: ReactNode
  isNarrow?: boolean
  children: ReactNode
}

/** A page's heading gets the focus when somebody has come to it from another. */
export function Page({ title, about, actions, above, isNarrow = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – Letterloom`
  }, [title])
  useEffect(() => {
    if (isFirstPage) isFirstPage = false
    else heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={isNarrow ? 'page narrow' : 'page'}>
      <header className="page-head">
        <div className="page-words">
          {above}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about === undefined ? null : <p className="soft">{about}</p>}
        </div>
        {actions === undefined ? null : <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A browser that loads a page begins at its top by itself. */
let isFirstPage = true

interface CardProps {
  title?: ReactNode
  actions?: ReactNode
  /** Without room at the sides: for tables. */
  isFlush?: boolean
  children: ReactNode
}

export function Card({ title, actions, isFlush = false, children }: CardProps) {
  return (
    <section className="card">
      {title === undefined ? null : (
        <div className="card-head">
          <h2>{title}</h2>
          {actions === undefined ? null : <div className="row">{actions}</div>}
        </div>
      )}
      <div className={isFlush ? 'card-body flush' : 'card-body'}>{children}</div>
    </section>
  )
}
