import { useNavigate, useRouter } from '@tanstack/react-router'
import { Button } from './button.tsx'
import './pager.css'

interface PagerProps {
  cursor: string | undefined
  nextCursor: string | null
}

/**
 * A list by cursor has no page numbers: "Newer" is the browser's way back, so that both lead to the
 * same rows.
 */
export function Pager({ cursor, nextCursor }: PagerProps) {
  const navigate = useNavigate()
  const router = useRouter()
  if (cursor === undefined && nextCursor === null) return null
  const goTo = (next: string | undefined): void =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => {
        const { cursor: _, ...rest } = before
        return next === undefined ? rest : { ...rest, cursor: next }
      },
    })
  return (
    <nav className="pager" aria-label="Pages of the list">
      {cursor === undefined ? null : (
        <>
          <Button look="quiet" onClick={() => goTo(undefined)}>
            First
          </Button>
          <Button onClick={() => router.history.back()}>Newer</Button>
        </>
      )}
      {nextCursor === null ? null : <Button onClick={() => goTo(nextCursor)}>Older</Button>}
    </nav>
  )
}
