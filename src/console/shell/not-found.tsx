import { ButtonLink } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'

export function NotFound() {
  return (
    <Page title="There is no such page" about="It is gone, or the address is mistyped.">
      <div>
        <ButtonLink look="primary" to="/">
          Go to the overview
        </ButtonLink>
      </div>
    </Page>
  )
}
