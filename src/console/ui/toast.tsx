import { Toast } from '@base-ui/react/toast'
import { CircleCheck, X } from 'lucide-react'
import type { ReactNode } from 'react'
import './toast.css'

const SHOWN_MS = 6_000

/** Says that something is done, to eyes and ears, without taking the focus. */
export function useToast(): (title: string) => void {
  const { add } = Toast.useToastManager()
  return (title) => void add({ title, timeout: SHOWN_MS })
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function Toasts() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <CircleCheck aria-hidden="true" size={18} />
      <Toast.Title />
      <Toast.Close className="toast-close" aria-label="Close">
        <X aria-hidden="true" size={16} />
      </Toast.Close>
    </Toast.Root>
  ))
}
