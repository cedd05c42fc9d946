import { Download } from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import { fileAddress } from '../lib/api.ts'
import { useOrganizationId } from '../lib/session.tsx'
import { Copy } from '../ui/copy.tsx'
import { Card } from '../ui/page.tsx'
import './setup-file.css'

/** Two steps at AWS; the third is the checks below, which tick themselves off. */
export function SetupFile({
  connection: { id, accountId, region },
}: {
  connection: Schemas['Connection']
}) {
  const org = useOrganizationId()
  const address = (format: string) =>
    fileAddress(org, `/v1/connections/${id}/setup?format=${format}&events=queue`)
  return (
    <Card title="Set the account up">
      <ol className="steps">
        <li>
          <h3>1. Download the setup file</h3>
          <p className="soft">
            It makes a role for us alone, a configuration set, and a queue for delivery events. Read
            it: it is short.
          </p>
          <div className="row">
            <a className="button plain" href={address('cloudformation')} download>
              <Download aria-hidden="true" /> CloudFormation
            </a>
            <a className="button plain" href={address('terraform')} download>
              <Download aria-hidden="true" /> Terraform
            </a>
          </div>
        </li>
        <li>
          <h3>2. Run it in account {accountId}</h3>
          <p className="soft">
            With the AWS command line; or upload the file in the CloudFormation console.
          </p>
          <Copy
            isBlock
            text={`aws cloudformation deploy --region ${region} --stack-name letterloom --capabilities CAPABILITY_NAMED_IAM --template-file letterloom-cloudformation.json`}
          />
        </li>
        <li>
          <h3>3. Wait for the checks</h3>
          <p className="soft">
            They run by themselves while this page is open. What is not in order says what to do.
          </p>
        </li>
      </ol>
    </Card>
  )
}
