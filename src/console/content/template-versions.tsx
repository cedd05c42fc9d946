import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { moment } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Card } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import type { TemplateDraft } from './use-template-draft.ts'
import { SourceText } from './source-text.tsx'

const MOST_SHOWN = 20

type Template = Schemas['Template']
type Texts = Partial<TemplateDraft>

interface TemplateVersionsProps {
  template: Template
  /** Writes on with what a version says. Absent: nobody may. */
  use: ((texts: Texts) => void) | undefined
}

/** What was published and when; each version can be read and taken up again. */
export function TemplateVersions({ template: { id, version }, use }: TemplateVersionsProps) {
  const client = useClient()
  const org = useOrganizationId()
  const [shown, setShown] = useState<number>()
  const answer = useQuery({
    queryKey: [org, 'template-versions', id, version],
    queryFn: () =>
      client.get('/v1/templates/{id}/versions', {
        params: { path: { id }, query: { limit: MOST_SHOWN } },
      }),
  })
  return (
    <Card title="Published versions" isFlush>
      <Shown answer={answer} rows={2}>
        {({ data }) => (
          <Table
            caption="Published versions, newest first"
            rows={data}
            keyOf={(each) => String(each.version)}
            columns={[
              {
                title: 'Version',
                cell: (each) => (
                  <button type="button" className="link" onClick={() => setShown(each.version)}>
                    Version {each.version}
                  </button>
                ),
              },
              { title: 'Subject', cell: ({ subject }) => subject ?? '' },
              { title: 'Published', cell: ({ publishedAt }) => moment(publishedAt) },
            ]}
          />
        )}
      </Shown>
      <VersionDialog id={id} version={shown} close={() => setShown(undefined)} use={use} />
    </Card>
  )
}

interface VersionDialogProps {
  id: string
  version: number | undefined
  close: () => void
  use: TemplateVersionsProps['use']
}

function VersionDialog({ id, version, close, use }: VersionDialogProps) {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'template-version', id, version],
    queryFn: () =>
      client.get('/v1/templates/{id}', {
        params: { path: { id }, query: version === undefined ? {} : { version } },
      }),
    enabled: version !== undefined,
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Dialog
      title={`Version ${version ?? ''}`}
      about={answer.data ? (answer.data.subject ?? undefined) : undefined}
      isOpen={version !== undefined}
      close={close}
    >
      <Shown answer={answer}>
        {({ subject, previewText, source, sourceType, emailType, variables }) => (
          <>
            <SourceText text={source} label={`Source of version ${version ?? ''}`} />
            {use === undefined ? null : (
              <div className="row">
                <Button
                  onClick={() => {
                    use({
                      subject: subject ?? '',
                      previewText: previewText ?? '',
                      source,
                      sourceType,
                      emailType,
                      variables,
                    })
                    close()
                  }}
                >
                  Write on with this
                </Button>
              </div>
            )}
          </>
        )}
      </Shown>
    </Dialog>
  )
}
