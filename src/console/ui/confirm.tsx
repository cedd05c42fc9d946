import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'
import { useToast } from './toast.tsx'

interface ConfirmProps {
  /** The button that opens it, and the one that does it: a verb. */
  action: string
  /** On the opening button, where the whole verb is too long. */
  label?: string
  title: string
  /** What will happen, with a number where there is one. */
  children: ReactNode
  run: () => Promise<unknown>
  done: string
  look?: 'plain' | 'quiet' | 'danger' | 'primary'
  icon?: ReactNode
}

/** A button for what cannot be undone: it says what will happen before it does. */
export function Confirm({
  action,
  label,
  title,
  children,
  run,
  done,
  look = 'plain',
  icon,
}: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const toast = useToast()
  const go = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await run()
      setOpen(false)
      toast(done)
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button look={look} icon={icon} onClick={() => setOpen(true)}>
        {label ?? action}
      </Button>
      <Dialog title={title} isOpen={isOpen} close={() => setOpen(false)}>
        <div className="stack close">{children}</div>
        {error === undefined ? null : <Failure error={error} />}
        <div className="row">
          <Button
            look={look === 'primary' ? 'primary' : 'danger'}
            isBusy={isBusy}
            onClick={() => void go()}
          >
            {action}
          </Button>
          <Button look="quiet" onClick={() => setOpen(false)}>
            Keep it as it is
          </Button>
        </div>
      </Dialog>
    </>
  )
}
