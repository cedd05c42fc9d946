import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import './dialog.css'

interface DialogProps {
  title: string
  /** What it is about, in a sentence. */
  about?: ReactNode
  isOpen: boolean
  close: () => void
  /** Cannot be put away: something has to be decided first. */
  isForced?: boolean
  /** Gets the focus when it opens; else the first element that can have it. */
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}

/** The focus goes in when it opens and back to the opener when it closes. */
export function Dialog({
  title,
  about,
  isOpen,
  close,
  isForced = false,
  initialFocus,
  children,
}: DialogProps) {
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={isForced}
      onOpenChange={(open) => {
        if (!open && !isForced) close()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog" {...(initialFocus ? { initialFocus } : {})}>
          <div className="dialog-head">
            <Base.Title>{title}</Base.Title>
            {isForced ? null : (
              <Base.Close className="dialog-close" aria-label="Close">
                <X aria-hidden="true" size={18} />
              </Base.Close>
            )}
          </div>
          {about === undefined ? null : (
            <Base.Description className="soft">{about}</Base.Description>
          )}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
