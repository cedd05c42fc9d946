export interface paths {
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Includes revoked keys. The keys themselves are not stored and cannot be returned, only their first characters.
         *
         *     Scope: `full`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The response contains the key. Store it now: it cannot be shown again, since only its hash is stored. The scopes of a key cannot be changed.
         *
         *     Scope: `keys`, which no API key has.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key stops working everywhere within a second and cannot be restored. Its record stays. Repeated requests have no further effect.
         *
         *     Scope: `keys`, which no API key has.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Rename an API key
         * @description Only the name can be changed. Other fields are ignored.
         *
         *     Scope: `keys`, which no API key has.
         */
        patch: operations["renameApiKey"];
        trace?: never;
    };
    "/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events, newest first
         * @description Returns changes of keys, logins, passwords and roles, with their authors. Audit events cannot be changed or deleted.
         *
         *     Scope: `full`.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Returns a session for an email address and its password. A wrong address, a wrong password and a person without a password get the same response after the same time. An IP address has five attempts for one account and twenty for all accounts in 15 minutes. After failed attempts, responses for an account get slower, but the account is never locked.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out
         * @description Ends this session. Its token stops working everywhere within a second.
         *
         *     Scope: `session`, which no API key has.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch to another organization
         * @description Returns a session for another organization of yours and ends this one. The new session expires when the old one would have expired.
         *
         *     Scope: `session`, which no API key has.
         */
        post: operations["switchOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description All your other sessions end, in every organization. Wrong passwords count as failed login attempts.
         *
         *     Scope: `session`, which no API key has.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the invitation page
         * @description The page asks for a password and is the same for people with and without an account. Opening it changes nothing. Fails with 410 if the link was used, revoked or replaced, or has expired.
         */
        get: operations["showInvitation"];
        put?: never;
        /**
         * Accept an invitation
         * @description Send the password of the account with the invited address, or a password for a new account. Wrong passwords count as failed login attempts. Returns HTML if `Accept` asks for it, else JSON. Fails with 409 `password_not_set` if the account belongs to another organization and has no password: ask its operator to set one. Fails with 410 if the link was used, revoked or replaced, or has expired.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the organization, newest first
         * @description Available to signed-in people of any role.
         *
         *     Scope: `session`, which no API key has.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Invite a person by email
         * @description The person becomes a member when they accept. Admins can invite viewers and members, owners can invite anybody. The link works once, for seven days. The response is the same whether or not the address has an account. Fails with 409 if a member has the address (`already_member`), if it was invited already (`already_invited`), or if this installation does not send invitations (`no_notice_sender`): the operator then adds people with `letterloom user invite`. Fails with 429 `too_many_invitations` after 50 invitations in 24 hours, or 3 to one address.
         *
         *     Scope: `members`, which no API key has.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open invitations, newest first
         * @description Expired invitations are listed for another week and can be sent again.
         *
         *     Scope: `members`, which no API key has.
         */
        get: operations["listInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an open invitation
         * @description Fails with 404 after the invitation was accepted or revoked.
         *
         *     Scope: `members`, which no API key has.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description Links of the invitation stop working. Admins can revoke invitations of viewers and members, owners can revoke any.
         *
         *     Scope: `members`, which no API key has.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend an invitation
         * @description Sends a new link that works for seven days. Earlier links stop working. Fails with 429 `too_many_invitations` after 50 invitations in 24 hours, or 3 to one address.
         *
         *     Scope: `members`, which no API key has.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description The member’s sessions in this organization end. Admins can remove viewers and members, owners can remove anybody except the last owner.
         *
         *     Scope: `members`, which no API key has.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description The member’s sessions in this organization end. Admins can change viewers and members, owners can change anybody. The last owner cannot be changed.
         *
         *     Scope: `members`, which no API key has.
         */
        patch: operations["changeMember"];
        trace?: never;
    };
    "/v1/organization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your organization
         * @description Returns the plan, its limits, your usage, and the scopes of your credentials.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update your organization
         * @description Updates the name and `branding`. Only the fields that are sent change. Send null to restore a default color or text. Your texts can use the same `{…}` placeholders as the default texts. Other fields are ignored.
         *
         *     Scope: `full`.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show who is signed in, and where
         * @description The person, the organization that the session works in, what they may do there, and their other organizations.
         *
         *     Scope: `session`, which no API key has.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions, newest first
         * @description Returns your active sessions in all organizations.
         *
         *     Scope: `session`, which no API key has.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End all your other sessions
         * @description Logs you out everywhere else, in every organization.
         *
         *     Scope: `session`, which no API key has.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description The token of the session stops working everywhere within a second.
         *
         *     Scope: `session`, which no API key has.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sending health of all connected accounts
         * @description Returns the results of the last hourly check and the worst status of all accounts: `in_danger`, then `at_risk`, `unknown`, `healthy`. `checkedAt` is the time of the latest check. The provider is not called.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getOrganizationHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/health/{cloudAccountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sending health of one connected account
         * @description Returns the result of the last hourly check. The provider is not called.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getAccountHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connected cloud accounts, newest first
         * @description Includes disconnected accounts. Mail is sent through verified accounts only.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listConnections"];
        put?: never;
        /**
         * Register a cloud account, or update it and rotate its webhook secret
         * @description Registering the same account and region again updates the connection: `externalId` stays, a new webhook secret is generated, and earlier secrets work for another 24 hours. Create the role `roleArn`, which trusts Letterloom with `externalId`, and forward delivery events to `webhookEndpoint` with the secret in `x-webhook-secret`.
         *
         *     Scope: `full`.
         */
        post: operations["registerConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Disconnect a cloud account
         * @description Clears the webhook secrets and stops sending through the account. Its record stays. Register the account again to reconnect it.
         *
         *     Scope: `full`.
         */
        delete: operations["disconnectConnection"];
        options?: never;
        head?: never;
        /**
         * Rename a connection, or set the queue or topic of its delivery events
         * @description Only the fields that are sent change. Send null to clear a field. Read-only fields are ignored, and the webhook secret stays. A new queue is polled from then on. Events that arrive in other ways are still accepted.
         *
         *     Scope: `full`.
         */
        patch: operations["changeConnection"];
        trace?: never;
    };
    "/v1/connections/{id}/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a setup file for the account: CloudFormation or Terraform
         * @description The file creates the role that Letterloom assumes (with its external id and only the permissions that are used), a configuration set, and the delivery of events. `events=queue` (recommended) delivers them to a queue in the account: set its URL, an output of the file, as `eventQueueUrl`. `events=webhook` delivers them to our webhook, at a rate that follows from the verified account’s own. The tool asks for the webhook secret, which is not in the file. Events that cannot be delivered for a day are kept in a second queue. Fails with 409 `principal_not_configured` if the operator has not set AWS_PRINCIPAL_ARN.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getConnectionSetup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a connection and its permissions
         * @description Assumes the role with the external id, checks that it cannot be assumed without it, and uses each permission once. Nothing is changed, and nothing is sent except, at most once a minute, one mail to the provider’s mailbox simulator that names the configuration set. Mail is sent through the account while `isVerified` is true. Requests within three seconds get the same response. `not_tried`: the role could not be assumed. `throttled` and `no_answer`: the provider gave no result, and `isVerified` does not change.
         *
         *     Scope: `full`.
         */
        post: operations["verifyConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/console-policy/{cloudAccountId}/recheck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recheck the console policy of an account
         * @description Reads the version of the policy from the account, at most once a minute for all callers. Within that minute, or if the account cannot be called or throttles the call, the last result is returned with `rechecked` false.
         *
         *     Scope: `full`.
         */
        post: operations["recheckConsolePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains and addresses that your accounts can send from
         * @description Reads all connected accounts at once. Results are at most 15 seconds old. An account that cannot be called or does not answer in time has `reachable` false, and the request succeeds.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listDomains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains/{identity}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a domain or address with its DNS records
         * @description Your accounts are asked in the order in which they were connected, until one has the domain or address. Fails with 404 if no account that answers has it: `details` names accounts that did not answer. Fails with 503 if no account answers.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List segments, newest first
         * @description Returns segments with their latest counts. `search` filters by a part of the name.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listSegments"];
        put?: never;
        /**
         * Create a segment
         * @description Members of a segment are all contacts that meet its condition at the time of a request. An operator that does not fit its field is refused with the path of the filter. Conditions cannot refer to segments. An organization can have up to 1,000 segments.
         *
         *     Scope: `segments` or `full`.
         */
        post: operations["createSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/segments/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the contacts that meet a condition, with a sample
         * @description Nothing is stored. If counting all contacts takes too long, the count is an estimate from every 64th contact, and `countIsExact` is false. If even that takes too long, the request fails with 400 `condition_too_slow`.
         *
         *     Scope: `segments` or `full`.
         */
        post: operations["previewSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/segments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a segment
         * @description Counts the members again if the last count is older than a minute. `problem` tells why the segment cannot be evaluated, or why contacts temporarily do not enter or leave it.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getSegment"];
        put?: never;
        post?: never;
        /**
         * Delete a segment
         * @description The contacts are not deleted. Fails with 409 `segment_in_use` while an unfinished batch, an enabled workflow or an unfinished execution (of any version) uses the segment. `details` names them.
         *
         *     Scope: `segments` or `full`.
         */
        delete: operations["deleteSegment"];
        options?: never;
        head?: never;
        /**
         * Update a segment
         * @description Updates only the fields that are sent. Send null to remove the description.
         *
         *     Scope: `segments` or `full`.
         */
        patch: operations["updateSegment"];
        trace?: never;
    };
    "/v1/segments/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the contacts of a segment, newest first
         * @description Use pages or cursors, as for contacts. `enteredAt` is set if membership is tracked, which is the case while an enabled workflow waits for contacts to enter or leave. Fails with 400 `segment_too_slow` if the condition takes too long, and `segment_not_usable` if it cannot be evaluated.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listSegmentMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a batch that has not ended
         * @description The batch keeps its status and is `paused`: within two seconds none of its mails is sent any more, until you resume it. A scheduled batch whose time comes while it is paused waits. A batch that has ended or is paused already is a 409 (`batch_not_pausable`).
         *
         *     Scope: `send` or `full`.
         */
        post: operations["pauseBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/choose-winner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose the winner of an A/B test
         * @description The rest of the audience gets this variant. You can choose it at any time before the test is decided, whatever `winnerBy` is. The answer is a 409 if the batch has no test or is not being sent (`batch_not_testing`), or if there is a winner already (`winner_chosen`).
         *
         *     Scope: `send` or `full`.
         */
        post: operations["chooseWinner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a batch with its progress
         * @description `totalRecipients` is an estimate until `audienceFrozenAt` is set. The delivery counters keep growing after `completedAt`, as events arrive.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        /**
         * Cancel a batch that has not ended
         * @description Cancels a batch that is `scheduled`, `queued` or `processing`. Any other status is a 409. Sending stops within two seconds. Mails that were sent stay sent.
         *
         *     Scope: `send` or `full`.
         */
        delete: operations["cancelBatch"];
        options?: never;
        head?: never;
        /**
         * Change or reschedule a scheduled batch
         * @description Send only the fields that change, with the names of creation. Null clears a field: without `scheduledFor` the batch is sent at once. The content stays as it was compiled unless the subject, preview text, content, template or variables change. A batch that is not `scheduled` is a 409 (`batch_not_changeable`).
         *
         *     Scope: `send` or `full`.
         */
        patch: operations["updateBatch"];
        trace?: never;
    };
    "/v1/batch/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a batch
         * @description The copy has the same audience, sender and content, with the changes of the request and without the sending time. It is `scheduled` and `paused`, so that nothing is sent before you have looked at it: change it, then resume it. It is sent at its time, or at once if it has none.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["duplicateBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/retry-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a batch again to the recipients who failed
         * @description Creates a batch that starts at once: the same mail to up to 100,000 recipients who failed and were certainly not mailed. Recipients who bounced, are suppressed or whose outcome is unknown are left out. The answer is a 409 if the batch has not ended (`batch_not_retryable`), or if nobody is left to mail (`nothing_to_retry`).
         *
         *     Scope: `send` or `full`.
         */
        post: operations["retryFailedBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch-drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List drafts of batches, newest first
         * @description Without their inputs.
         *
         *     Scope: `send` or `full`.
         */
        get: operations["listBatchDrafts"];
        put?: never;
        /**
         * Store a draft of a batch
         * @description Nothing is sent, and nothing of the input is checked. An organization can have up to 100 drafts. To send one, use its input as the body of `POST /v1/batch`, then delete it.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["createBatchDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch-drafts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a draft of a batch
         * @description With its input as it was stored.
         *
         *     Scope: `send` or `full`.
         */
        get: operations["getBatchDraft"];
        put?: never;
        post?: never;
        /**
         * Delete a draft of a batch
         * @description Batches that were created from it are not affected.
         *
         *     Scope: `send` or `full`.
         */
        delete: operations["deleteBatchDraft"];
        options?: never;
        head?: never;
        /**
         * Replace the input of a draft of a batch
         * @description The whole input is replaced. With `ifUnmodifiedSince` a draft that somebody else changed is not overwritten.
         *
         *     Scope: `send` or `full`.
         */
        patch: operations["updateBatchDraft"];
        trace?: never;
    };
    "/v1/batch/{id}/reasons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the recipients who were not mailed, by reason
         * @description The most frequent reasons first, up to 100. Mails in doubt are included. Filter the recipients by `status` and `reason` to see who they are. Empty until the audience is frozen.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["listBatchReasons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the report of a batch
         * @description Figures, opens and clicks over time, links, recipients’ domains and bounce reasons, all of one moment. Reports are kept when the logs are deleted. With `Accept: text/html` the answer is a page with charts, without scripts and ready to print. Otherwise it is JSON.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["getBatchReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List batches, newest first
         * @description By page, from 1, or by cursor. A cursor neither skips nor repeats a batch while others are created. `search` finds a part of a name or subject. The list leaves out `htmlContent`, `textContent` and `variableMappings`: get a batch by its id to see them.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["listBatches"];
        put?: never;
        /**
         * Send a mail to many contacts, now or later
         * @description The content is a published template or part of the request. Without `scheduledFor`, or with a time that has passed, sending starts at once. The audience is frozen when sending starts. Contacts who unsubscribe or may no longer be mailed before their mail is sent are skipped. `from` must belong to a verified identity of the account (400, `sender_not_verified`). If the account does not answer within two seconds, the batch is accepted with a warning.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a batch: its recipients, content, duration and cost
         * @description Takes the body of creating a batch and returns the same errors. Nothing is stored or sent. Keys without the scopes `read` and `contacts` get masked addresses and phone numbers.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["previewBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recipients of a batch in sending order
         * @description Empty until the audience is frozen. Use `cursor` for long lists. `offset` and `cursor` cannot be combined.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["listBatchRecipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused or failed batch
         * @description A paused batch continues, or waits for its time. A failed batch continues where it stopped, and nobody is mailed twice: recipients who were refused because of the sender are mailed now, and so are those with `render_timeout` if the batch failed for that reason. A batch that failed before its audience was frozen starts again, at its time. Remove the cause of the failure first, or the batch fails again. The answer is a 409 if the batch is neither `paused` nor `failed` (`batch_not_resumable`), if a topic of its audience or its exclusions was deleted (`topic_deleted`), or if its recipients are no longer stored (`recipients_deleted`).
         *
         *     Scope: `send` or `full`.
         */
        post: operations["resumeBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard the rest of a failed batch
         * @description The batch becomes `cancelled` for good, and its queued recipients are not mailed. Mails that were sent stay sent. A batch that is not `failed` is a 409 (`batch_not_discardable`).
         *
         *     Scope: `send` or `full`.
         */
        post: operations["discardBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch/{id}/clicks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clicked links of a batch
         * @description Each link has its clicks and the number of mails in which it was clicked. Clicks by programs count too. The order is stable while more clicks arrive, and not by their number. Links to unsubscribe, to choose topics or to confirm are left out, since each recipient has their own.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["listBatchClicks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}/clicks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clicked links in mails of a template
         * @description The template is named by id or slug. Mails of batches, workflows and single mail count. Each link has its clicks and the number of mails in which it was clicked. Clicks by programs count too. The order is stable while more clicks arrive, and not by their number. Links to unsubscribe, to choose topics or to confirm are left out, since each recipient has their own.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["listTemplateClicks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/confirm/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the confirmation page
         * @description Shows the topic and a button. Opening the page does not confirm the subscription, so programs that follow links cannot confirm it. Fails with 410 if the link was replaced, has expired, or was mailed to an address that the contact no longer has.
         */
        get: operations["showConfirmation"];
        put?: never;
        /**
         * Confirm a subscription
         * @description Subscribes the contact to the topic of the token. A contact who unsubscribed from all mail becomes active again. Repeated requests have no further effect. Returns HTML if `Accept` asks for it, else JSON. Fails with 410 if the link was replaced, has expired, or was mailed to an address that the contact no longer has.
         */
        post: operations["confirmSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the preferences page
         * @description Shows checkboxes for the public topics, a button that unsubscribes from all mail, and buttons for text messages to the number of the contact. Only the button that unsubscribes is shown if the contact was deleted or has another address. Opening the page changes nothing.
         */
        get: operations["showPreferences"];
        put?: never;
        /**
         * Save what a contact wants: topics, no mail, text messages
         * @description Subscribes the contact to the listed public topics and unsubscribes it from all others. A topic with double opt-in sends a confirmation email. Topics can be added only if the contact is active or unsubscribed and still has the mailed address. A contact who unsubscribed from all mail and chooses a topic without double opt-in becomes active again. `texts` opts the phone number in or out of text messages: in only if the contact still has the mailed address. Returns HTML if `Accept` asks for it, else JSON.
         */
        post: operations["savePreferences"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressed addresses or phone numbers, newest first
         * @description `email` or `phone` returns the entry of one address or number. It also finds entries whose text was erased, by its hash. `channel=sms` lists the phone numbers that receive no text messages.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress an address or a phone number
         * @description The default reason of an address is `suppressed`: it never receives mail again. That of a phone number is `opted_out`: it receives no text messages. The contact that has it gets the reason as its `emailStatus` or `smsStatus`, unless it has a worse one. If it is on the list already, its reason can only become worse. The response is then 200 with the effective entry.
         *
         *     Scope: `contacts` or `full`.
         */
        post: operations["suppressAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/suppressions/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an address or a phone number from the suppression list
         * @description Does not change the contact: a contact who unsubscribed or opted out must be resubscribed. Entries for complaints, for suppressions by the provider and for opt-outs of text messages require the scope `full`. The removal is recorded in the audit events.
         *
         *     Scope: `contacts` or `full`.
         */
        delete: operations["removeSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List topics, newest first
         * @description Returns topics without the number of their subscribers.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["listTopics"];
        put?: never;
        /**
         * Create a topic
         * @description Contacts can subscribe to topics. With `doubleOptIn`, a contact stays `pending` until they confirm an email, which requires `from` and a connected account. Without `slug`, a slug is derived from the name. An organization can have up to 1,000 topics.
         *
         *     Scope: `contacts` or `full`.
         */
        post: operations["createTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a topic by id or slug
         * @description Includes the number of subscribers, counted up to 10,000. Above that, `countsAreExact` is false.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["getTopic"];
        put?: never;
        post?: never;
        /**
         * Delete a topic by id or slug
         * @description Deletes the topic and its subscriptions, but no contacts. Fails with 409 `topic_in_use` while an unfinished batch, an enabled workflow, an unfinished execution (of any version, or started by a subscription to it) or the condition of a segment uses the topic. `details` names them. Pending confirmations end, and their links stop working.
         *
         *     Scope: `contacts` or `full`.
         */
        delete: operations["deleteTopic"];
        options?: never;
        head?: never;
        /**
         * Update a topic by id or slug
         * @description Updates only the fields that are sent. Send null to clear a field. Subscribed contacts stay subscribed if `doubleOptIn` changes.
         *
         *     Scope: `contacts` or `full`.
         */
        patch: operations["updateTopic"];
        trace?: never;
    };
    "/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the unsubscribe page
         * @description Shows the masked address and a button to unsubscribe. A second button unsubscribes from all mail if the mail belonged to a topic. Opening the page does not unsubscribe, so programs that follow links cannot unsubscribe anybody.
         */
        get: operations["showUnsubscribe"];
        put?: never;
        /**
         * Unsubscribe with one click
         * @description Implements RFC 8058. Unsubscribes the contact of the token from the topic of the mail, or from all mail, whatever the body contains. The form field `scope=all` always unsubscribes from all mail. Repeated requests have no further effect. Returns HTML if `Accept` asks for it, else JSON.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or update up to 1,000 contacts
         * @description Each row updates the contact with its `externalId`, `email` or `phone`, or creates one. Rows are independent: valid rows are stored if others fail. `active` does not resubscribe a contact who unsubscribed, and the result then has `emailStatusKept`. `smsStatusKept` is the same for a number that opted out of text messages or is invalid.
         *
         *     Scope: `contacts` or `full`.
         */
        post: operations["upsertContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List contacts, newest first
         * @description Use pages or cursors. A cursor neither skips nor repeats contacts while others are written. Contacts are counted up to 10,000. Above that, `totalIsExact` is false. A search among more contacts stops counting when its page is full. If no new contact matches a search, contacts are searched in stretches of 50,000: a page may be empty and still have a next page.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["listContacts"];
        put?: never;
        /**
         * Create a contact
         * @description `email` or `phone` is required. `externalId`, `email` and `phone` are unique in an organization. If one is taken, the request fails with 409, which names the field and the contact but never the value. An address or number on the suppression list gets its status from there, and the response has `emailStatusKept` or `smsStatusKept`.
         *
         *     Scope: `contacts` or `full`.
         */
        post: operations["createContact"];
        /**
         * Delete up to 1,000 contacts
         * @description Unknown ids are ignored. `deleted` is the number of deleted contacts. The suppression list keeps their addresses.
         *
         *     Scope: `contacts` or `full`.
         */
        delete: operations["deleteContacts"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a contact by id, email or externalId
         * @description A UUID is the contact’s id or an `externalId`. A value with `@` is an email address. Any other value is an `externalId`. `by` forces one of them.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["getContact"];
        /**
         * Replace a contact
         * @description Clears all fields that are not sent, except statuses and topics. You can send a contact as it was returned: read-only fields are ignored.
         *
         *     Scope: `contacts` or `full`.
         */
        put: operations["replaceContact"];
        post?: never;
        /**
         * Delete a contact
         * @description Deletes the contact with its subscriptions and counters. The suppression list keeps the address, so a new contact with it is not mailed either.
         *
         *     Scope: `contacts` or `full`.
         */
        delete: operations["deleteContact"];
        options?: never;
        head?: never;
        /**
         * Update a contact
         * @description Updates only the fields that are sent. `active` alone does not resubscribe a contact who unsubscribed, and the response then has `emailStatusKept`. Add `resubscribe` if the person asked for mail again. A number that opted out of text messages keeps its `smsStatus` in the same way (`smsStatusKept`). A new address starts without consent: topics with double opt-in send it a confirmation email.
         *
         *     Scope: `contacts` or `full`.
         */
        patch: operations["patchContact"];
        trace?: never;
    };
    "/v1/contacts/{id}/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the topics of a contact
         * @description Replaces all topics of the contact: it is unsubscribed from topics that the request does not name. A topic with double opt-in sends a confirmation email unless the contact confirmed it before. A contact who unsubscribed from a topic is subscribed again only with `resubscribe`.
         *
         *     Scope: `contacts` or `full`.
         */
        put: operations["replaceContactTopics"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download contacts as CSV or NDJSON
         * @description Returns contacts, newest first, with the filters of the list. CSV: `properties` is one column of JSON, so importing the file again changes nothing. A cell that a spreadsheet would run as a formula begins with an apostrophe, which an import removes. NDJSON: one contact per line. If a download fails, the connection is closed before the end of the response. Fails with 400 `segment_too_slow` if the condition of the segment takes too long.
         *
         *     Scope: `contacts` or `full`.
         */
        get: operations["exportContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import contacts from a file of up to 1 GiB
         * @description Send a file as `text/csv` or `application/x-ndjson`, or a form (`multipart/form-data`) whose fields come before its file. `Content-Encoding: gzip` is supported. CSV: UTF-8, with the names of the columns in the first line. Empty cells are ignored. NDJSON: one contact per line. The response is sent when the whole file was received. An interrupted upload changes nothing. Rows are then written as by `POST /v1/contacts/batch`: valid rows are stored if others fail, and the error report lists the others.
         *
         *     Scope: `contacts` or `full`.
         */
        post: operations["importContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports, newest first
         * @description Includes the progress of each import.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["listImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an import with its progress
         * @description The counts increase while the import runs. Rows that are not counted yet have not been written.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        /**
         * Cancel an import
         * @description Contacts that were written stay. Repeated requests get the same response. Fails with 409 if the import has ended otherwise.
         *
         *     Scope: `contacts` or `full`.
         */
        delete: operations["cancelImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/imports/{id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the failed rows of an import as CSV
         * @description Includes rows that were stored without their invalid phone number. Columns are `row` (starting at 1, without the header line of a CSV), `error`, and `record`, the fields of the row as JSON. The report is kept for 30 days. Cells that a spreadsheet would run as a formula begin with an apostrophe.
         *
         *     Scope: `contacts` or `full`.
         */
        get: operations["getImportErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the mail of a template for a contact, by id or slug
         * @description Renders the present content of the template, published or not. Fails with 400 and all problems if it cannot be published. Nothing is stored or sent, and unsubscribe links are disabled. Returns HTML if `Accept` asks for it, else JSON: the page shows the mail at 1280 and 375 pixels, in frames without scripts. Without the scopes `read` and `contacts`, email addresses and phone numbers of the contact are masked.
         *
         *     Scope: `read` or `send` or `full`.
         */
        post: operations["previewTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create, update and publish templates by their slugs, all or none
         * @description The body is a list, `templates`, or a single template. A template without changes is `unchanged`, whatever its status: a draft stays a draft, and edits made here stay unpublished. Fails with 409 `edited_since_push`, which names the templates, if some were edited here after the last push, unless you send `force`, or an `updatedAt` that is not older than the edit. `dryRun` returns the results without changing anything.
         *
         *     Scope: `templates` or `full`.
         */
        post: operations["pushTemplates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/push/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create, update and publish up to 100 templates by their slugs, independently
         * @description As `push`, but templates are independent: a refused template is reported in `errorDetails` with the error that it would get alone, and all others are stored.
         *
         *     Scope: `templates` or `full`.
         */
        post: operations["pushTemplateBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/pull": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get templates in the form that push takes, newest first
         * @description Returns the present content, published or not. `published` is the content that mail uses, if it differs.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["pullTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the present content of a template, by id or slug
         * @description Creates the next version, which never changes: styles are inlined, and a text part is generated. Batches keep the version with which they began. Mail of workflows uses the newest. Unchanged content creates no version. `warnings` lists problems in all mails of the version, such as `clipped` above the 102 KB that Gmail shows, and `styles_not_inlined`.
         *
         *     Scope: `templates` or `full`.
         */
        post: operations["publishTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a template into a new draft, by id or slug
         * @description Copies the present content, not the published version.
         *
         *     Scope: `templates` or `full`.
         */
        post: operations["duplicateTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates, newest first
         * @description Returns templates without their sources.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a template, published at once or as a draft
         * @description The source is HTML or MJML with Liquid. A variable needs a fallback unless every recipient has a value for it. Unknown variables are refused when the template is published. A missing value fails the mail of its recipient when it is sent. With `status: "DRAFT"` the content is checked only when it is published. Without `slug`, a slug is derived from the name.
         *
         *     Scope: `templates` or `full`.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template by id or slug
         * @description An id or a slug: a UUID is an id, any other value is a slug. With `version`, the texts, the variables and `publishedAt` are those of that version. Name, slug and status are the present ones.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["getTemplate"];
        put?: never;
        post?: never;
        /**
         * Delete a template by id or slug
         * @description Sent batches keep their content. Fails with 409 `template_in_use` while an unfinished batch, an enabled workflow or an unfinished execution (of any version) uses the template. `details` names them.
         *
         *     Scope: `templates` or `full`.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        /**
         * Update or archive a template by id or slug
         * @description Updates only the fields that are sent. Mail uses the published version until you call `publish`. An archived template cannot be used by new batches, workflows or topics. Archiving fails with 409 `template_in_use` while an enabled workflow, an unfinished execution or a topic uses the template. `details` names them.
         *
         *     Scope: `templates` or `full`.
         */
        patch: operations["updateTemplate"];
        trace?: never;
    };
    "/v1/templates/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the published versions of a template, newest first
         * @description They never change. `GET /v1/templates/{id}?version=` returns what one says.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["listTemplateVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/email-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the email setup of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getEmailCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/email-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the email setup of a domain
         * @description Checks SPF, DKIM, DMARC, MX, MTA-STS, TLS-RPT, BIMI, blocklists and reverse DNS of a domain and returns a score from 0 to 100. Failed look-ups do not change the score.
         */
        post: operations["checkEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/spf-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the SPF record of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getSpfCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/spf-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the SPF record of a domain, or an IP address against it
         * @description Reads the SPF record with everything that it includes, and counts look-ups as receivers do (RFC 7208, 4.6.4). With `ip`, the report includes the result for mail from that address.
         */
        post: operations["checkSpf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/dkim-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the DKIM keys of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getDkimCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/dkim-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the DKIM keys of a domain
         * @description Without selectors, common ones are tried. If none of them has a key the result is `unknown`, since a domain can use any other selector.
         */
        post: operations["checkDkim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/bimi-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the BIMI logo of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getBimiCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/bimi-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the BIMI logo of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        post: operations["checkBimi"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/dmarc-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the DMARC policy of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getDmarcCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/dmarc-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the DMARC policy of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        post: operations["runDmarcCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/mx-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the mail servers of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getMxCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/mx-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the mail servers of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        post: operations["runMxCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/mta-sts-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the MTA-STS policy of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getMtaStsCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/mta-sts-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the MTA-STS policy of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        post: operations["runMtaStsCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/tls-rpt-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the TLS reporting of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getTlsRptCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/tls-rpt-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the TLS reporting of a domain
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        post: operations["runTlsRptCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/blocklist-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check a domain or an IP address against blocklists
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getBlocklistCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/blocklist-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a domain or an IP address against blocklists
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        post: operations["runBlocklistCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/reverse-dns-check/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the reverse DNS of a domain or an IP address
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        get: operations["getReverseDnsCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/reverse-dns-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the reverse DNS of a domain or an IP address
         * @description Public, with a limit of 10 requests a minute and 100 an hour for each IP address. Failed look-ups are reported as `unknown`.
         */
        post: operations["runReverseDnsCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/validate-address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate an email address
         * @description Checks the syntax of the address and the DNS records of its domain. The mail server is not asked, so the check cannot tell whether the mailbox exists.
         */
        post: operations["validateAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/headers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Analyze the header of a mail
         * @description Returns the route of the mail with its delays, the results of the receiving server, signatures and alignment. The tool makes no look-ups.
         */
        post: operations["analyzeHeaders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/unsubscribe-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a mail against the rules for bulk senders
         * @description Checks RFC 8058 and the rules of Google, Yahoo and Microsoft: List-Unsubscribe, List-Unsubscribe-Post, the signature that must cover them, From, DMARC and SPF. Addresses in the mail are never called.
         */
        post: operations["checkUnsubscribeMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/dmarc-generator": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a DMARC record
         * @description Returns the record for the requested policy and the name to publish it at. The tool makes no look-ups.
         */
        post: operations["generateDmarc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the tools page
         * @description Shows a form for each tool, and a report if a domain is given. The page needs no script.
         */
        get: operations["showTools"];
        put?: never;
        /**
         * Check pasted text on the tools page
         * @description Send a mail, a header or an address from a form. Returns the page with its report.
         */
        post: operations["postTools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/ses/{accountNumber}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a delivery event from EventBridge
         * @description The secret decides which connection the event belongs to, never the body. The event is stored before you get the answer. The same event again is a `duplicate`. An event without our tags is applied to the mail with its message id. If there is none, it is about mail of another program, which gets a log with `sourceType: external`. Events that cannot be applied, have no effect or cannot be read are stored and `ignored` with the reason: with a valid secret no event is refused for its content. An unknown account and a wrong secret get the same 401.
         */
        post: operations["receiveSesEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mails with their status, newest first
         * @description `status` is the present status of a mail. `reached` finds mails that ever had a status. A day without a time in `to` is included, in UTC.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listEmailLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/logs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download mails with their status as CSV
         * @description Newest first, with the filters of the list. Cells that a spreadsheet would execute begin with an apostrophe. If the download fails, the connection is closed before the file is complete.
         *
         *     Scope: `full`.
         */
        get: operations["exportEmailLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/logs/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a mail with its timeline and its content
         * @description The mail is named by the provider’s message id or by ours. `events` is the timeline, oldest first. `content` requires an owner, an admin or a key of scope `full`, and each read is audited. Links to unsubscribe, confirm or choose topics are disabled in both.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getEmailLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/sns/{connectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a delivery event from SNS
         * @description For topics that cannot use the queue or EventBridge. Set `snsTopicArn` of the connection first, then subscribe this address to the topic: the subscription is confirmed automatically. A message is accepted if it is of that topic, has a signature of SNS (version 1 or 2), and is not older than an hour. The event is stored before the answer. The same `MessageId` again is a `duplicate`, and an event that cannot be applied is `ignored` with the reason. Raw message delivery has no signature and is refused. All other messages get the same 401. Any content type is read as JSON, up to 256 KiB.
         */
        post: operations["receiveSnsMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a contact, newest first
         * @description Returns changes of consent, for single topics and all mail, with their sources, and your custom events within the retention of your plan.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["listContactEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an event of a contact
         * @description Starts the workflows that it triggers and resumes executions that wait for it. Accepted events count towards the monthly quota, which every response reports in `X-Event-*` headers.
         *
         *     Scope: `events` or `full`.
         */
        post: operations["ingestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report up to 1,000 events of contacts
         * @description Events are independent: valid events are stored if others fail, and `errorDetails` lists the others. If the valid events would exceed 125 % of the monthly limit, the whole request is refused.
         *
         *     Scope: `events` or `full`.
         */
        post: operations["ingestEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the names of events, newest first
         * @description Returns names for an editor of workflows. A name is added when its first event arrives.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listEventNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the executions of a workflow, newest first
         * @description Use the id or slug of the workflow. A deleted workflow is found by its id only. What is over and was created longer ago than your plan keeps it is left out.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listWorkflowExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the executions at each step of a workflow, by id or slug
         * @description Of all versions. Steps without executions are left out. At most 50,000 executions of each status are counted.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listWorkflowSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the executions of workflows for a contact, newest first
         * @description What ended longer ago than your plan keeps it is left out.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["listContactExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/executions/{executionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an execution with all its steps
         * @description What ended longer ago than your plan keeps it is left out.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/executions/{executionId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a failed execution at its failed step
         * @description Completed steps are not repeated. With `version`, the execution continues with the present workflow, at the failed step. Fails with 409 if the status is not `failed` (`execution_not_failed`), the workflow is deleted (`workflow_deleted`), `maxConcurrentExecutions` others are running (`workflow_full`), or the newest version lacks the failed step (`step_removed`).
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["retryExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/executions/{executionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an unfinished execution
         * @description Its waits end, and its queued mail is not sent. Repeated requests succeed. Fails with 409 `execution_over` if the execution is completed or failed.
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["cancelExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/cancel-executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel all unfinished executions of a workflow, by id or slug
         * @description Cancels the present executions. If the workflow is disabled, executions that are just being started are cancelled as well. Their waits end, and their queued mail is not sent. Returns an operation: `GET /v1/workflow-operations/{operationId}` returns its progress. A workflow can have ten running operations (409 `operation_limit`).
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["cancelWorkflowExecutions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/retry-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume the failed executions of a workflow at their failed steps, by id or slug
         * @description Retries all executions that have failed by now, as by `retry`. With `version` they continue with the present workflow. Executions that the newest version cannot continue are `skipped`. While `maxConcurrentExecutions` others are running, the operation waits. Returns an operation: `GET /v1/workflow-operations/{id}` returns its progress. Fails with 409 if the workflow is deleted (`workflow_deleted`), or has ten running operations (`operation_limit`).
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["retryWorkflowFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operations on many executions of a workflow, newest first
         * @description Use the id or slug of the workflow. Operations are kept for 30 days after their completion.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listWorkflowOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflow-operations/{operationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an operation on many executions of a workflow
         * @description `done` of `total` executions are processed. The others follow in the background. Operations are kept for 30 days after their completion.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getWorkflowOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create and update workflows by their slugs, all or none
         * @description The body is a list, `workflows`, or a single workflow. A created workflow is disabled, an updated one keeps its state, and an unchanged one gets no new version. Fails with 409 `edited_since_push`, which names the workflows, if some were edited here after the last push, unless you send `force`, or an `updatedAt` that is not older than the edit. `dryRun` returns the results without changing anything. To get the secret of a created workflow, rotate it.
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["pushWorkflows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/pull": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get workflows in the form that push takes, newest first
         * @description Headers of webhook steps are returned as `***`. Push them unchanged to keep their values.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["pullWorkflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a workflow, by id or slug
         * @description The trigger starts executions from now on. Everything that the workflow needs must exist: published templates, topics, connected accounts, an SMS transport, verified senders (`sender_not_verified`, or a warning if the account does not answer within two seconds). At most 20 enabled workflows can have the same event name, topic, segment or kind of trigger (409 `trigger_limit`). Repeated requests change nothing.
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["enableWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a workflow, by id or slug
         * @description Nothing starts executions from now on. Running executions continue, unless `running` is `cancel`: then they are cancelled as by `cancel-executions`, and `operation` has the progress. Repeated requests change nothing else.
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["disableWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a workflow, newest first
         * @description Versions never change. `GET /v1/workflows/{workflowId}?version=` returns the steps of a version.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listWorkflowVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/diagram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a Mermaid flowchart of a workflow, by id or slug
         * @description Returns text that every Mermaid renderer draws: the trigger, each step with its type and effect, and the branches.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getWorkflowDiagram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the webhook secret of a workflow, by id or slug
         * @description For 24 hours webhooks are also signed with the previous secret. The new secret is returned only once.
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["rotateWorkflowSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a workflow for a contact
         * @description The workflow must be enabled and have the trigger `api`, else the request fails with 409 (`workflow_not_api`, `workflow_disabled`). It also fails with 409 if the settings of the workflow do not admit the contact now (`not_admitted`). The execution is `pending` until it begins. If `maxConcurrentExecutions` others are running then, it is cancelled (`dropped`).
         *
         *     Scope: `events` or `full`.
         */
        post: operations["triggerWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}/trigger/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a workflow for up to 1,000 contacts
         * @description Contacts are independent: one that cannot be triggered is reported in `errorDetails` with the error that it would get alone, and all others are triggered.
         *
         *     Scope: `events` or `full`.
         */
        post: operations["triggerWorkflowBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows, newest first
         * @description Returns workflows without their steps.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listWorkflows"];
        put?: never;
        /**
         * Create a workflow
         * @description The whole definition is checked: reachable steps, named branches, loops only through a delay or wait, contents that can be rendered. Each problem names its step. The workflow runs after you enable it. Without `slug`, a slug is derived from the name. `webhookSecret` signs the requests of webhook steps and is returned only once.
         *
         *     Scope: `workflows` or `full`.
         */
        post: operations["createWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflowId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workflow by id or slug, with its steps
         * @description A UUID is an id. Any other value is a slug. Headers of webhook steps are returned as `***`. `version` returns the steps of an earlier version.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getWorkflow"];
        put?: never;
        post?: never;
        /**
         * Delete a workflow, by id or slug
         * @description Nothing starts the workflow any more. Its unfinished executions are cancelled (`workflow_deleted`) at their next step, or within a minute. Executions can still be read.
         *
         *     Scope: `workflows` or `full`.
         */
        delete: operations["deleteWorkflow"];
        options?: never;
        head?: never;
        /**
         * Update a workflow, by id or slug
         * @description Updates only the fields that are sent. `settings` are merged, lists are replaced. A changed definition creates a version. Running executions keep theirs. Send `***` to keep the value of a header. The new version of an enabled workflow must be able to run, and its senders must be verified.
         *
         *     Scope: `workflows` or `full`.
         */
        patch: operations["updateWorkflow"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint, newest first
         * @description Deliveries are kept for 14 days, with the last calls of each.
         *
         *     Scope: `full`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample event to a webhook endpoint
         * @description The event has sample data with `test: true`. It is sent once, even if the endpoint is disabled or keeps failing. If it succeeds, waiting events follow at once. Its outcome is in the list of deliveries.
         *
         *     Scope: `full`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send deliveries of a period again
         * @description Queues failed deliveries again, oldest first, or those in other `states`. Events keep their ids. One call queues up to 10,000: repeat it while `more` is true.
         *
         *     Scope: `full`.
         */
        post: operations["replayWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description The event keeps its id. What it says is made anew of what is stored now. 409 `delivery_pending` if it still waits.
         *
         *     Scope: `full`.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints, newest first
         * @description Each with how its calls went in the last 24 hours and what waits for it.
         *
         *     Scope: `full`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description From now on, each event of `eventTypes` is posted to `url`, at least once and in no particular order. The response contains the secret that verifies the signatures: store it now, since it cannot be shown again. An organization can have 10 endpoints (409 `endpoint_limit`).
         *
         *     Scope: `full`.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description With how its calls went in the last 24 hours and what waits for it.
         *
         *     Scope: `full`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Events that wait for it are not sent any more. A call under way may end.
         *
         *     Scope: `full`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a webhook endpoint
         * @description Only the given fields change. While an endpoint is disabled, its events are held for three days. `enabled: true` sends them, or drops them with `held: "drop"`. Other read-only fields are ignored.
         *
         *     Scope: `full`.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get another secret for a webhook endpoint
         * @description For 24 hours calls are signed with the previous secret as well, so that the receiver can change over without losing an event. The secret is shown only here.
         *
         *     Scope: `full`.
         */
        post: operations["rotateWebhookEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of the API
         * @description Returns a status as long as the process runs. It does not check the database or other services.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the name and version of the API
         * @description Returns the name, the version and the address of the documentation.
         */
        get: operations["getApiInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compat/resend/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one mail to one address, as Resend’s POST /emails
         * @description The same as `/v1/email/send`, with Resend’s fields. If several accounts are connected, the header `X-Letterloom-Account` names one.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["sendResendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compat/resend/emails/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send up to 100 mails, as Resend’s POST /emails/batch
         * @description One invalid row refuses all rows. With the header `x-batch-validation: permissive` valid rows are accepted, and `errors` lists the others.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["sendResendEmails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compat/resend/emails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a mail and its status, as Resend’s GET /emails/{id}
         * @description The content is not included: use `/v1/email/{id}/body`.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["getResendEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reschedule a waiting mail, as Resend’s PATCH /emails/{id}
         * @description Works until the mail is taken to be sent, else 409.
         *
         *     Scope: `send` or `full`.
         */
        patch: operations["rescheduleResendEmail"];
        trace?: never;
    };
    "/compat/resend/emails/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a waiting mail, as Resend’s POST /emails/{id}/cancel
         * @description Works until the mail is taken to be sent, else 409.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["cancelResendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one mail to one address, now or later
         * @description For receipts, password resets and other mail that a person asked for. It is sent before batches and workflows, has no unsubscribe links, and also goes to unsubscribed contacts. An address that bounced, complained or is suppressed is not mailed: the answer is a 202 with the status `suppressed`. The mail is stored before you get the answer, whatever happens next.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["sendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/send/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send up to 100 mails, each to one address
         * @description Each row has the fields of `/v1/email/send`. Valid rows are accepted even if others fail. `errorDetails` names the failed rows and the reasons.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["sendEmails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a mail and its status
         * @description For the timeline, use `/v1/email/logs/{messageId}` with this id.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["getEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reschedule a waiting mail
         * @description You can reschedule a mail until its sending begins. Later the answer is a 409.
         *
         *     Scope: `send` or `full`.
         */
        patch: operations["rescheduleEmail"];
        trace?: never;
    };
    "/v1/email/{id}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the body of a mail
         * @description Available for 7 days after the sending time. Later, or with `retainBody: false`, the answer is a 404. Requires an owner, an admin or a key of scope `full`, and each read is audited. Links to unsubscribe, confirm or choose topics are disabled. Attachments are listed without their content.
         *
         *     Scope: `full`.
         */
        get: operations["getEmailBody"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a waiting mail
         * @description You can cancel a mail until its sending begins. Later the answer is a 409. Its content is deleted.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["cancelEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sms/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one text message to one number, now or later
         * @description For codes, reminders and other texts that a person asked for. It is never sent to a number whose person opted out, or that was found not to exist: the answer is a 202 with the status `opted_out` or `suppressed`, and a text that waits is not sent either. It needs no opt-in. The text is stored before you get the answer, and leaves once at most. The account needs `features.sms`.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["sendText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sms/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List text messages with their status, newest first
         * @description Logs of mails are in `/v1/email/logs`.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["listTextLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sms/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a text message and its status
         * @description Its body is not included: use `/v1/sms/{id}/body`.
         *
         *     Scope: `read` or `send` or `full`.
         */
        get: operations["getText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reschedule a waiting text message
         * @description You can reschedule a text until its sending begins. Later the answer is a 409.
         *
         *     Scope: `send` or `full`.
         */
        patch: operations["rescheduleText"];
        trace?: never;
    };
    "/v1/sms/{id}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the body of a text message
         * @description Available for 7 days after the sending time. Later, or with `retainBody: false`, the answer is a 404. Requires an owner, an admin or a key of scope `full`, and each read is audited.
         *
         *     Scope: `full`.
         */
        get: operations["getTextBody"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sms/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a waiting text message
         * @description You can cancel a text until its sending begins. Later the answer is a 409. Its body is deleted.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["cancelText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test of a template to up to five addresses
         * @description The template is named by id or slug. It is rendered as its preview is, published or not, and sent as single mail with `[Test]` before the subject. A test does not count as mail to a contact, even if a contact has the address, and its links to unsubscribe are disabled. Its content is deleted once it is sent. Keys without the scopes `read` and `contacts` get masked addresses and phone numbers of the contact.
         *
         *     Scope: `send` or `full`.
         */
        post: operations["testTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get email metrics
         * @description Counts the mails sent in the range by their outcome, whenever they were delivered or opened. Send `Accept: text/csv` to get the rows as a file. Without dimensions the file has one row, the totals. Queries with more than 10,000 rows are refused.
         *
         *     Scope: `read` or `full`.
         */
        get: operations["getEmailMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the personal data of a contact
         * @description Returns all fields of the contact, the history of its consent, all mails with their timelines and stored bodies, all events and all executions of workflows. Links in bodies that unsubscribe, confirm or choose topics are disabled. The response is streamed while it is read. The audit events record who requested it.
         *
         *     Scope: `contacts` or `full`.
         */
        get: operations["exportContact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a contact and its personal data
         * @description Deletes the contact at once, so that it receives no further mail. Logs, responses and stored events are emptied in the background: `GET /v1/erasures/{id}` returns the progress. A suppression of the address stays effective without storing the address. A contact that was deleted earlier can be erased by its id or address. Repeated requests for the same id return the same erasure.
         *
         *     Scope: `contacts` or `full`.
         */
        post: operations["eraseContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an erasure
         * @description The erasure stays as proof that the contact was erased and contains no personal data. Mail that is on its way to the provider is settled first, which may take minutes.
         *
         *     Scope: `read` or `contacts` or `full`.
         */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AbTest */
        AbTest: {
            /** @description Variants with their figures in the test share, by which they are compared. The figures keep growing. */
            variants: components["schemas"]["AbTestVariantsItem"][];
            rest: components["schemas"]["AbTestRest"];
            sharePercent: number;
            /** @enum {string} */
            winnerBy: "opened" | "clicked" | "manual";
            decideAfter: components["schemas"]["AbTestDecideAfter"];
            /**
             * Format: date-time
             * @description Set when all mails of the test share have been sent.
             */
            decideAt: string | null;
            /** @description Name of the variant that the rest of the audience receives. */
            winner: string | null;
            decision: components["schemas"]["AbTestDecision"];
        } | null;
        /** AbTestDecideAfter */
        AbTestDecideAfter: {
            amount: number;
            /** @enum {string} */
            unit: "minutes" | "hours" | "days" | "weeks";
        } | null;
        /**
         * AbTestDecision
         * @description How the winner was determined, from the figures at that time.
         */
        AbTestDecision: {
            /** @enum {string} */
            by: "figures" | "person";
            /** @description `true` if the lead is greater than chance explains. Otherwise the leading variant, or the chosen one, is sent all the same. */
            isConclusive: boolean;
            /** @description The variant with the best rate at that time. */
            leader: string;
            next: string;
            leaderRate: number;
            nextRate: number;
            /** @description The true difference of the two rates is between `low` and `high`. */
            low: number;
            high: number;
            /** @description Confidence level of the interval (Newcombe’s, by Wilson scores), divided among the comparisons if there are several. */
            confidence: number;
        } | null;
        /** AbTestInput */
        AbTestInput: {
            /** @description Content of each variant, where it differs from the batch. */
            variants: components["schemas"]["AbTestInputVariantsItem"][];
            /** @description Percentage of the audience that receives the variants, in equal parts. The rest waits for the winner. With 100 there is no rest, and the winner is determined all the same. */
            sharePercent: number;
            /**
             * @description Criterion of the winner: the share of recipients who opened or clicked. With `manual` you choose the winner.
             * @enum {string}
             */
            winnerBy: "opened" | "clicked" | "manual";
            decideAfter?: components["schemas"]["AbTestInputDecideAfter"];
        };
        /**
         * AbTestInputDecideAfter
         * @description Time after all mails of the test share have been sent. Cannot be combined with `manual`.
         */
        AbTestInputDecideAfter: {
            amount: number;
            /** @enum {string} */
            unit: "minutes" | "hours" | "days" | "weeks";
        };
        /** AbTestInputVariantsItem */
        AbTestInputVariantsItem: {
            /** @description Name of the variant, unique within the test. */
            name: string;
            subject?: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string;
            previewText?: string;
            templateId?: string;
        };
        /** AbTestPatch */
        AbTestPatch: {
            variants: components["schemas"]["AbTestPatchVariantsItem"][];
            /** @description Percentage of the audience that receives the variants, in equal parts. The rest waits for the winner. With 100 there is no rest, and the winner is determined all the same. */
            sharePercent: number;
            /**
             * @description Criterion of the winner: the share of recipients who opened or clicked. With `manual` you choose the winner.
             * @enum {string}
             */
            winnerBy: "opened" | "clicked" | "manual";
            decideAfter?: components["schemas"]["AbTestPatchDecideAfter"];
            /** @description Ignored. */
            rest?: unknown;
            /** @description Ignored. */
            decideAt?: unknown;
            /** @description Ignored. */
            winner?: unknown;
            /** @description Ignored. */
            decision?: unknown;
        } | null;
        /**
         * AbTestPatchDecideAfter
         * @description Time after all mails of the test share have been sent. Cannot be combined with `manual`.
         */
        AbTestPatchDecideAfter: {
            amount: number;
            /** @enum {string} */
            unit: "minutes" | "hours" | "days" | "weeks";
        } | null;
        /** AbTestPatchVariantsItem */
        AbTestPatchVariantsItem: {
            /** @description Name of the variant, unique within the test. */
            name: string;
            subject?: string | null;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string | null;
            previewText?: string | null;
            templateId?: string | null;
            /** @description Ignored. */
            sent?: unknown;
            /** @description Ignored. */
            delivered?: unknown;
            /** @description Ignored. */
            opened?: unknown;
            /** @description Ignored. */
            clicked?: unknown;
            /** @description Ignored. */
            bounced?: unknown;
            /** @description Ignored. */
            complained?: unknown;
        };
        /**
         * AbTestRest
         * @description Figures of the winner in the rest of the audience. Null while there is no winner.
         */
        AbTestRest: {
            sent: number;
            delivered: number;
            /** @description Opens by people. Known bots are not counted. */
            opened: number;
            /** @description Clicks by people. Known bots are not counted. */
            clicked: number;
            bounced: number;
            complained: number;
        } | null;
        /** AbTestVariantsItem */
        AbTestVariantsItem: {
            name: string;
            subject: string | null;
            fromName: string | null;
            previewText: string | null;
            /** Format: uuid */
            templateId: string | null;
            sent: number;
            delivered: number;
            /** @description Opens by people. Known bots are not counted. */
            opened: number;
            /** @description Clicks by people. Known bots are not counted. */
            clicked: number;
            bounced: number;
            complained: number;
        };
        /** AcceptanceInput */
        AcceptanceInput: {
            /** @description If the invited address has an account, its password. Otherwise the password of the new account, of at least 12 characters. */
            password: string;
            /** @description Name of the new account. Ignored if the address has an account. */
            name?: string;
        };
        /** Accepted */
        Accepted: {
            /** @constant */
            success: true;
            message: string;
        };
        /** AccountHealth */
        AccountHealth: {
            /** Format: uuid */
            id: string;
            accountNumber: string;
            region: string;
            /**
             * @description `unknown`: never checked, or without an answer for a day.
             * @enum {string}
             */
            status: "healthy" | "unknown" | "at_risk" | "in_danger";
            /** Format: date-time */
            checkedAt: string | null;
            sandbox: boolean | null;
            productionAccessEnabled: boolean | null;
            sendingEnabled: boolean | null;
            enforcementStatus: string | null;
            quota: components["schemas"]["AccountHealthQuota"];
            reputation: components["schemas"]["AccountHealthReputation"];
            thresholds: components["schemas"]["AccountHealthThresholds"];
            /** @description In danger: `sending_disabled`, `enforcement_<status>`, `bounce_pause`, `complaint_pause`. At risk: `enforcement_probation`, `bounce_review`, `complaint_review`, `quota_high`, and of delivery events, as they are now: `events_missing`, `event_queue_denied`, `event_queue_missing`, `event_queue_throttled`, `event_queue_failed`. */
            reasons: string[];
        };
        /** AccountHealthQuota */
        AccountHealthQuota: {
            /** @description Mails in 24 hours. -1: unlimited. */
            max24Hour: number | null;
            sentLast24Hours: number | null;
            /** @description Used share of the 24-hour quota. Null if the quota is unlimited. */
            usedRatio: number | null;
            maxSendRate: number | null;
        };
        /** AccountHealthRecord */
        AccountHealthRecord: {
            /** Format: uuid */
            id: string;
            accountNumber: string;
            region: string;
            /**
             * @description `unknown`: never checked, or without an answer for a day.
             * @enum {string}
             */
            status: "healthy" | "unknown" | "at_risk" | "in_danger";
            /** Format: date-time */
            checkedAt: string | null;
            sandbox: boolean | null;
            productionAccessEnabled: boolean | null;
            sendingEnabled: boolean | null;
            enforcementStatus: string | null;
            quota: components["schemas"]["AccountHealthRecordQuota"];
            reputation: components["schemas"]["AccountHealthRecordReputation"];
            thresholds: components["schemas"]["AccountHealthRecordThresholds"];
            /** @description In danger: `sending_disabled`, `enforcement_<status>`, `bounce_pause`, `complaint_pause`. At risk: `enforcement_probation`, `bounce_review`, `complaint_review`, `quota_high`, and of delivery events, as they are now: `events_missing`, `event_queue_denied`, `event_queue_missing`, `event_queue_throttled`, `event_queue_failed`. */
            reasons: string[];
        };
        /** AccountHealthRecordQuota */
        AccountHealthRecordQuota: {
            /** @description Mails in 24 hours. -1: unlimited. */
            max24Hour: number | null;
            sentLast24Hours: number | null;
            /** @description Used share of the 24-hour quota. Null if the quota is unlimited. */
            usedRatio: number | null;
            maxSendRate: number | null;
        };
        /** AccountHealthRecordReputation */
        AccountHealthRecordReputation: {
            bounceRate: number | null;
            complaintRate: number | null;
        };
        /** AccountHealthRecordThresholds */
        AccountHealthRecordThresholds: {
            /** @description The provider may review an account from here on. */
            bounceReview: number;
            /** @description The provider may pause an account from here on. */
            bouncePause: number;
            /** @description The provider may review an account from here on. */
            complaintReview: number;
            /** @description The provider may pause an account from here on. */
            complaintPause: number;
            /** @description Share of the 24-hour quota. */
            quotaWarn: number;
        };
        /** AccountHealthReputation */
        AccountHealthReputation: {
            bounceRate: number | null;
            complaintRate: number | null;
        };
        /** AccountHealthThresholds */
        AccountHealthThresholds: {
            /** @description The provider may review an account from here on. */
            bounceReview: number;
            /** @description The provider may pause an account from here on. */
            bouncePause: number;
            /** @description The provider may review an account from here on. */
            complaintReview: number;
            /** @description The provider may pause an account from here on. */
            complaintPause: number;
            /** @description Share of the 24-hour quota. */
            quotaWarn: number;
        };
        /** AddressReport */
        AddressReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["AddressReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** AddressReportDetails */
        AddressReportDetails: {
            /** @description As it would be mailed; null: it is no address. */
            address: string | null;
            isRole: boolean;
            /** @description What may be meant. */
            suggestion: string | null;
        };
        /** AnalyzeHeadersInput */
        AnalyzeHeadersInput: {
            /** @description Header of the mail, as “show original” displays it. A body after the header is ignored. */
            headers: string;
        };
        /** ApiError */
        ApiError: {
            /** @description Message for people. Its wording may change, so do not parse it. */
            error: string;
            /**
             * @description Stable error code for programs.
             * @enum {string}
             */
            code: "BAD_REQUEST" | "CONFLICT" | "FORBIDDEN" | "INTERNAL_ERROR" | "MALFORMED_REQUEST" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "PAYMENT_REQUIRED" | "RATE_LIMITED" | "REQUEST_FAILED" | "UNAUTHORIZED" | "VALIDATION_FAILED";
            /** @description Equals the `x-request-id` header. Include it when you contact support. */
            requestId?: string;
            /** @description A stable snake_case word that is more specific than the code. */
            reason?: string;
            details?: components["schemas"]["ApiErrorDetailsItem"][];
        };
        /** ApiErrorDetailsItem */
        ApiErrorDetailsItem: {
            /** @description Path of the invalid input: `steps[0].config.url`. */
            path: string;
            message: string;
            contactId?: string;
        };
        /** ApiInfo */
        ApiInfo: {
            name: string;
            version: string;
            /** @description Address of this documentation. */
            docs: string;
        };
        /** ApiKey */
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first 12 characters of the key. */
            prefix: string;
            scopes: ("read" | "contacts" | "events" | "send" | "full")[];
            /** Format: date-time */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute.
             */
            lastUsedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
        };
        /** ApiKeyInput */
        ApiKeyInput: {
            name: string;
            /** @description Scopes of the key. Defaults to `full`. */
            scopes?: ("read" | "contacts" | "events" | "send" | "full")[];
            /**
             * Format: date-time
             * @description When the key expires. Without it, the key never expires.
             */
            expiresAt?: string;
        };
        /** ApiKeyList */
        ApiKeyList: {
            data: components["schemas"]["ApiKey"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** ApiKeyPatch */
        ApiKeyPatch: {
            name: string;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            prefix?: unknown;
            /** @description Ignored. */
            scopes?: unknown;
            /** @description Ignored. */
            expiresAt?: unknown;
            /** @description Ignored. */
            lastUsedAt?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            revokedAt?: unknown;
        };
        /** AskedAccount */
        AskedAccount: {
            /** Format: uuid */
            id: string;
            accountId: string;
            region: string;
            /** @description `false` if the account did not answer in time. Its identities are then missing in `data`. */
            reachable: boolean;
        };
        /** AuditEvent */
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            actorKind: "key" | "user" | "operator" | "unknown";
            /**
             * Format: uuid
             * @description Id of the API key or the person.
             */
            actorId: string | null;
            action: string;
            subjectKind: string | null;
            subjectId: string | null;
            requestId: string | null;
            detail: components["schemas"]["AuditEventDetail"];
            /** Format: date-time */
            createdAt: string;
        };
        /** AuditEventDetail */
        AuditEventDetail: {
            [key: string]: unknown;
        };
        /** AuditEventList */
        AuditEventList: {
            data: components["schemas"]["AuditEvent"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** Batch */
        Batch: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "queued" | "scheduled" | "processing" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            channel: "email" | "sms";
            name: string | null;
            /** @description An estimate until `audienceFrozenAt` is set. */
            totalRecipients: number;
            processedRecipients: number;
            sent: number;
            failed: number;
            /** @description Refused by us: left, or may not be mailed. */
            skipped: number;
            /** @description In doubt: the call may have been accepted. Settled by the provider’s events or their proven absence. */
            unknown: number;
            delivered: number;
            /** @description By anything, known bots too. */
            opened: number;
            /** @description By anything, known bots too; not of links of ours. */
            clicked: number;
            bounced: number;
            complained: number;
            suppressed: number;
            unsubscribed: number;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            audience: components["schemas"]["BatchAudience"];
            /** Format: date-time */
            audienceFrozenAt: string | null;
            /** @description The address. */
            from: string;
            fromName: string | null;
            replyTo: string | null;
            subject: string;
            previewText: string | null;
            /** Format: date-time */
            scheduledFor: string | null;
            timezoneAware: boolean;
            /** @description Only of a batch that is `timezoneAware`. */
            timezone: string | null;
            throttlePerSecond: number | null;
            /** Format: uuid */
            cloudAccountId: string;
            /** Format: uuid */
            templateId: string | null;
            /**
             * Format: uuid
             * @description Only its subscribers are mailed.
             */
            topicId: string | null;
            /**
             * Format: uuid
             * @description Of audience type `segment`.
             */
            segmentId: string | null;
            exclude: components["schemas"]["BatchExclude"];
            /** @description Nothing is sent until it is resumed. */
            paused: boolean;
            /** @description `requested`, `duplicated` (not resumed yet). */
            pausedReason: string | null;
            /** @description Why it failed, one of an open set: `sender_rejected` (the provider refuses the sender), `render_timeout` (its mails take too long to make), `not_verified`, `disconnected`, `account_suspended`, `sending_paused`, `stopped_by_operator`, `segment_not_usable`, `segment_too_slow`, `topic_deleted`, `restored` (the server was restored from a backup, and it is not known who was mailed since) … A failed batch can be resumed or discarded; one that was discarded keeps it. */
            failedReason: string | null;
            /** @description Mails that the provider accepted a second time. */
            duplicates: number;
            waitingForOutcome: components["schemas"]["BatchWaitingForOutcome"];
            waitingForQuota: components["schemas"]["BatchWaitingForQuota"];
            /** @description As it is sent; with `templateId` that of the version that the batch keeps. */
            htmlContent: string;
            /** @description As it is sent: made of the HTML if none was given. */
            textContent: string;
            variableMappings: components["schemas"]["BatchVariableMappingsItem"][];
            abTest: components["schemas"]["AbTest"];
            progress: components["schemas"]["BatchProgress"];
        };
        /** BatchAudience */
        BatchAudience: {
            /** @enum {string} */
            type: "all" | "topic" | "segment" | "contacts";
            /** @description Contacts named, for type `contacts`. */
            contactCount: number | null;
        };
        /** BatchDraft */
        BatchDraft: {
            /** Format: uuid */
            id: string;
            /** @description `name` of the input, if it is a text. */
            name: string | null;
            /** @description `subject` of the input, if it is a text. */
            subject: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            input: components["schemas"]["DraftedBatch"];
        };
        /** BatchDraftInput */
        BatchDraftInput: {
            input: components["schemas"]["DraftedBatch"];
        };
        /** BatchDraftList */
        BatchDraftList: {
            data: components["schemas"]["BatchDraftSummary"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** BatchDraftPatch */
        BatchDraftPatch: {
            input: components["schemas"]["DraftedBatch"];
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you read. If the draft has changed since, the request fails with 409.
             */
            ifUnmodifiedSince?: string;
        };
        /** BatchDraftSummary */
        BatchDraftSummary: {
            /** Format: uuid */
            id: string;
            /** @description `name` of the input, if it is a text. */
            name: string | null;
            /** @description `subject` of the input, if it is a text. */
            subject: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** BatchDuplicate */
        BatchDuplicate: {
            /** @enum {string|null} */
            channel?: "email" | null;
            name?: string | null;
            /** @enum {string} */
            audienceType?: "all" | "topic" | "segment" | "contacts";
            /** @description Of the audience only its subscribers are mailed, and the unsubscribe link leaves it. */
            topicId?: string | null;
            /** @description Its members when the audience is frozen are mailed. On paid plans. */
            segmentId?: string | null;
            contactIds?: string[] | null;
            exclude?: components["schemas"]["BatchDuplicateExclude"];
            subject?: string | null;
            previewText?: string | null;
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from?: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string | null;
            /** Format: email */
            replyTo?: string | null;
            templateId?: string | null;
            htmlContent?: string | null;
            textContent?: string | null;
            variableMappings?: components["schemas"]["BatchDuplicateVariableMappingsItem"][] | null;
            abTest?: components["schemas"]["AbTestPatch"];
            /** Format: date-time */
            scheduledFor?: string | null;
            /** @description Each contact is mailed when it is that time of `scheduledFor` in the zone of its `properties.timezone`. */
            timezoneAware?: boolean | null;
            /** @description With `timezoneAware`: the zone in which `scheduledFor` is read, and that of contacts without one. `UTC` if absent. */
            timezone?: string | null;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string | null;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string | null;
            /** @description Mails a second at most, when the account may send faster. */
            throttlePerSecond?: number | null;
            /** @enum {string|null} */
            unknownOutcome?: "fail" | "retry" | null;
            /** @description Ignored. */
            body?: unknown;
            /** @description Ignored. */
            senderId?: unknown;
            /** @description Ignored. */
            totalRecipients?: unknown;
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you read. If the batch has changed since, the request fails with 409.
             */
            ifUnmodifiedSince?: string;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            status?: unknown;
            /** @description Ignored. */
            processedRecipients?: unknown;
            /** @description Ignored. */
            sent?: unknown;
            /** @description Ignored. */
            failed?: unknown;
            /** @description Ignored. */
            skipped?: unknown;
            /** @description Ignored. */
            unknown?: unknown;
            /** @description Ignored. */
            delivered?: unknown;
            /** @description Ignored. */
            opened?: unknown;
            /** @description Ignored. */
            clicked?: unknown;
            /** @description Ignored. */
            bounced?: unknown;
            /** @description Ignored. */
            complained?: unknown;
            /** @description Ignored. */
            suppressed?: unknown;
            /** @description Ignored. */
            unsubscribed?: unknown;
            /** @description Ignored. */
            startedAt?: unknown;
            /** @description Ignored. */
            completedAt?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
            /** @description Ignored. */
            audience?: unknown;
            /** @description Ignored. */
            audienceFrozenAt?: unknown;
            /** @description Ignored. */
            paused?: unknown;
            /** @description Ignored. */
            pausedReason?: unknown;
            /** @description Ignored. */
            failedReason?: unknown;
            /** @description Ignored. */
            duplicates?: unknown;
            /** @description Ignored. */
            waitingForOutcome?: unknown;
            /** @description Ignored. */
            waitingForQuota?: unknown;
            /** @description Ignored. */
            progress?: unknown;
        } | null;
        /**
         * BatchDuplicateExclude
         * @description Who subscribes to one of the topics or is in one of the segments when the audience is frozen is left out. Segments are on paid plans.
         */
        BatchDuplicateExclude: {
            topicIds?: string[];
            segmentIds?: string[];
        } | null;
        /** BatchDuplicateVariableMappingsItem */
        BatchDuplicateVariableMappingsItem: {
            variableName: string;
            source: components["schemas"]["BatchDuplicateVariableMappingsItemSource"];
        };
        /** BatchDuplicateVariableMappingsItemSource */
        BatchDuplicateVariableMappingsItemSource: {
            /** @enum {string} */
            type: "static" | "contact";
            value?: string | number | boolean;
            field?: string;
        };
        /**
         * BatchExclude
         * @description Who is in one of them when the audience is frozen is left out.
         */
        BatchExclude: {
            topicIds: string[];
            segmentIds: string[];
        };
        /**
         * BatchInput
         * @description Content is either `templateId` or `htmlContent`.
         */
        BatchInput: {
            /** @enum {string} */
            channel?: "email";
            name?: string;
            /** @enum {string} */
            audienceType: "all" | "topic" | "segment" | "contacts";
            /** @description Of the audience only its subscribers are mailed, and the unsubscribe link leaves it. */
            topicId?: string;
            /** @description Its members when the audience is frozen are mailed. On paid plans. */
            segmentId?: string;
            contactIds?: string[];
            exclude?: components["schemas"]["BatchInputExclude"];
            subject?: string;
            previewText?: string;
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string;
            /** Format: email */
            replyTo?: string;
            templateId?: string;
            htmlContent?: string;
            textContent?: string;
            variableMappings?: components["schemas"]["BatchInputVariableMappingsItem"][];
            abTest?: components["schemas"]["AbTestInput"];
            /** Format: date-time */
            scheduledFor?: string;
            /** @description Each contact is mailed when it is that time of `scheduledFor` in the zone of its `properties.timezone`. */
            timezoneAware?: boolean;
            /** @description With `timezoneAware`: the zone in which `scheduledFor` is read, and that of contacts without one. `UTC` if absent. */
            timezone?: string;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string;
            /** @description Mails a second at most, when the account may send faster. */
            throttlePerSecond?: number;
            /** @enum {string} */
            unknownOutcome?: "fail" | "retry";
            /** @description Ignored. */
            body?: unknown;
            /** @description Ignored. */
            senderId?: unknown;
            /** @description Ignored. */
            totalRecipients?: unknown;
        };
        /**
         * BatchInputExclude
         * @description Who subscribes to one of the topics or is in one of the segments when the audience is frozen is left out. Segments are on paid plans.
         */
        BatchInputExclude: {
            topicIds?: string[];
            segmentIds?: string[];
        };
        /** BatchInputVariableMappingsItem */
        BatchInputVariableMappingsItem: {
            variableName: string;
            source: components["schemas"]["BatchInputVariableMappingsItemSource"];
        };
        /** BatchInputVariableMappingsItemSource */
        BatchInputVariableMappingsItemSource: {
            /** @enum {string} */
            type: "static" | "contact";
            value?: string | number | boolean;
            field?: string;
        };
        /** BatchList */
        BatchList: {
            data: components["schemas"]["BatchSummary"][];
            page: number;
            pageSize: number;
            total: number;
            totalPages: number;
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** BatchPatch */
        BatchPatch: {
            /** @enum {string|null} */
            channel?: "email" | null;
            name?: string | null;
            /** @enum {string} */
            audienceType?: "all" | "topic" | "segment" | "contacts";
            /** @description Of the audience only its subscribers are mailed, and the unsubscribe link leaves it. */
            topicId?: string | null;
            /** @description Its members when the audience is frozen are mailed. On paid plans. */
            segmentId?: string | null;
            contactIds?: string[] | null;
            exclude?: components["schemas"]["BatchPatchExclude"];
            subject?: string | null;
            previewText?: string | null;
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from?: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string | null;
            /** Format: email */
            replyTo?: string | null;
            templateId?: string | null;
            htmlContent?: string | null;
            textContent?: string | null;
            variableMappings?: components["schemas"]["BatchPatchVariableMappingsItem"][] | null;
            abTest?: components["schemas"]["AbTestPatch"];
            /** Format: date-time */
            scheduledFor?: string | null;
            /** @description Each contact is mailed when it is that time of `scheduledFor` in the zone of its `properties.timezone`. */
            timezoneAware?: boolean | null;
            /** @description With `timezoneAware`: the zone in which `scheduledFor` is read, and that of contacts without one. `UTC` if absent. */
            timezone?: string | null;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string | null;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string | null;
            /** @description Mails a second at most, when the account may send faster. */
            throttlePerSecond?: number | null;
            /** @enum {string|null} */
            unknownOutcome?: "fail" | "retry" | null;
            /** @description Ignored. */
            body?: unknown;
            /** @description Ignored. */
            senderId?: unknown;
            /** @description Ignored. */
            totalRecipients?: unknown;
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you read. If the batch has changed since, the request fails with 409.
             */
            ifUnmodifiedSince?: string;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            status?: unknown;
            /** @description Ignored. */
            processedRecipients?: unknown;
            /** @description Ignored. */
            sent?: unknown;
            /** @description Ignored. */
            failed?: unknown;
            /** @description Ignored. */
            skipped?: unknown;
            /** @description Ignored. */
            unknown?: unknown;
            /** @description Ignored. */
            delivered?: unknown;
            /** @description Ignored. */
            opened?: unknown;
            /** @description Ignored. */
            clicked?: unknown;
            /** @description Ignored. */
            bounced?: unknown;
            /** @description Ignored. */
            complained?: unknown;
            /** @description Ignored. */
            suppressed?: unknown;
            /** @description Ignored. */
            unsubscribed?: unknown;
            /** @description Ignored. */
            startedAt?: unknown;
            /** @description Ignored. */
            completedAt?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
            /** @description Ignored. */
            audience?: unknown;
            /** @description Ignored. */
            audienceFrozenAt?: unknown;
            /** @description Ignored. */
            paused?: unknown;
            /** @description Ignored. */
            pausedReason?: unknown;
            /** @description Ignored. */
            failedReason?: unknown;
            /** @description Ignored. */
            duplicates?: unknown;
            /** @description Ignored. */
            waitingForOutcome?: unknown;
            /** @description Ignored. */
            waitingForQuota?: unknown;
            /** @description Ignored. */
            progress?: unknown;
        };
        /**
         * BatchPatchExclude
         * @description Who subscribes to one of the topics or is in one of the segments when the audience is frozen is left out. Segments are on paid plans.
         */
        BatchPatchExclude: {
            topicIds?: string[];
            segmentIds?: string[];
        } | null;
        /** BatchPatchVariableMappingsItem */
        BatchPatchVariableMappingsItem: {
            variableName: string;
            source: components["schemas"]["BatchPatchVariableMappingsItemSource"];
        };
        /** BatchPatchVariableMappingsItemSource */
        BatchPatchVariableMappingsItemSource: {
            /** @enum {string} */
            type: "static" | "contact";
            value?: string | number | boolean;
            field?: string;
        };
        /** BatchPreview */
        BatchPreview: {
            /** @description Contacts that would be mailed now. */
            recipients: number;
            /** @description Contacts of the audience that cannot be mailed. */
            skipped: components["schemas"]["BatchPreviewSkippedItem"][];
            sample: components["schemas"]["BatchPreviewSample"];
            /** @description Points to check before sending. Links are not followed, so a valid link may still lead nowhere. */
            checks: components["schemas"]["MailCheck"][];
            /** @description The mail of each variant. Null if the batch is not an A/B test. */
            variants: components["schemas"]["BatchPreviewVariantsItem"][] | null;
            estimate: components["schemas"]["BatchPreviewEstimate"];
            cost: components["schemas"]["BatchPreviewCost"];
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** BatchPreviewCost */
        BatchPreviewCost: {
            /** @description Estimated SES charge by the account’s pricing plan and its volume of this month, without attachments and extras. Null if the plan is unknown. */
            usd: number | null;
            usdPerThousand: number | null;
            /**
             * Format: date
             * @description Date of the published prices.
             */
            asOf: string;
        };
        /**
         * BatchPreviewEstimate
         * @description Null if the account was not checked yet.
         */
        BatchPreviewEstimate: {
            /** @description Rate of the account, or `throttlePerSecond`. */
            perSecond: number;
            /** @description Mails that batches can still send of the account’s 24-hour quota, as of its last health check. A twentieth of the quota is reserved for single mail. */
            remainingToday: number | null;
            durationSeconds: number | null;
        } | null;
        /** BatchPreviewInput */
        BatchPreviewInput: {
            /** @enum {string} */
            channel?: "email";
            name?: string;
            /** @enum {string} */
            audienceType: "all" | "topic" | "segment" | "contacts";
            /** @description Of the audience only its subscribers are mailed, and the unsubscribe link leaves it. */
            topicId?: string;
            /** @description Its members when the audience is frozen are mailed. On paid plans. */
            segmentId?: string;
            contactIds?: string[];
            exclude?: components["schemas"]["BatchPreviewInputExclude"];
            subject?: string;
            previewText?: string;
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string;
            /** Format: email */
            replyTo?: string;
            templateId?: string;
            htmlContent?: string;
            textContent?: string;
            variableMappings?: components["schemas"]["BatchPreviewInputVariableMappingsItem"][];
            abTest?: components["schemas"]["AbTestInput"];
            /** Format: date-time */
            scheduledFor?: string;
            /** @description Each contact is mailed when it is that time of `scheduledFor` in the zone of its `properties.timezone`. */
            timezoneAware?: boolean;
            /** @description With `timezoneAware`: the zone in which `scheduledFor` is read, and that of contacts without one. `UTC` if absent. */
            timezone?: string;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string;
            /** @description Mails a second at most, when the account may send faster. */
            throttlePerSecond?: number;
            /** @enum {string} */
            unknownOutcome?: "fail" | "retry";
            /** @description Ignored. */
            body?: unknown;
            /** @description Ignored. */
            senderId?: unknown;
            /** @description Ignored. */
            totalRecipients?: unknown;
            /** @description Contact whose mail is shown. Defaults to the newest recipient. */
            sampleContactId?: string;
        };
        /**
         * BatchPreviewInputExclude
         * @description Who subscribes to one of the topics or is in one of the segments when the audience is frozen is left out. Segments are on paid plans.
         */
        BatchPreviewInputExclude: {
            topicIds?: string[];
            segmentIds?: string[];
        };
        /** BatchPreviewInputVariableMappingsItem */
        BatchPreviewInputVariableMappingsItem: {
            variableName: string;
            source: components["schemas"]["BatchPreviewInputVariableMappingsItemSource"];
        };
        /** BatchPreviewInputVariableMappingsItemSource */
        BatchPreviewInputVariableMappingsItemSource: {
            /** @enum {string} */
            type: "static" | "contact";
            value?: string | number | boolean;
            field?: string;
        };
        /**
         * BatchPreviewSample
         * @description The mail of one recipient. For an A/B test, its first variant. Links to unsubscribe are disabled. Null if there is no recipient.
         */
        BatchPreviewSample: {
            /** Format: uuid */
            contactId: string;
            email: string | null;
            subject: string | null;
            html: string | null;
            text: string | null;
            problem: components["schemas"]["BatchPreviewSampleProblem"];
        } | null;
        /**
         * BatchPreviewSampleProblem
         * @description Why there is no mail for this contact.
         */
        BatchPreviewSampleProblem: {
            reason: string;
            message: string;
        } | null;
        /** BatchPreviewSkippedItem */
        BatchPreviewSkippedItem: {
            /** @description `no_address`, or the status of the address. */
            reason: string;
            count: number;
        };
        /** BatchPreviewVariantsItem */
        BatchPreviewVariantsItem: {
            name: string;
            sample: components["schemas"]["BatchPreviewVariantsItemSample"];
            /** @description Points to check before sending. Links are not followed, so a valid link may still lead nowhere. */
            checks: components["schemas"]["MailCheck"][];
        };
        /**
         * BatchPreviewVariantsItemSample
         * @description The mail of one recipient. For an A/B test, its first variant. Links to unsubscribe are disabled. Null if there is no recipient.
         */
        BatchPreviewVariantsItemSample: {
            /** Format: uuid */
            contactId: string;
            email: string | null;
            subject: string | null;
            html: string | null;
            text: string | null;
            problem: components["schemas"]["BatchPreviewVariantsItemSampleProblem"];
        } | null;
        /**
         * BatchPreviewVariantsItemSampleProblem
         * @description Why there is no mail for this contact.
         */
        BatchPreviewVariantsItemSampleProblem: {
            reason: string;
            message: string;
        } | null;
        /**
         * BatchProgress
         * @description How it comes on. Null unless the batch is `processing`.
         */
        BatchProgress: {
            /** @description Mails a second that the provider accepted in the last minute. */
            ratePerSecond: number;
            /**
             * Format: date-time
             * @description When all mails are sent at this rate. Null while nothing is sent, or it waits for something without a known end.
             */
            expectedEnd: string | null;
            waitingFor: components["schemas"]["BatchProgressWaitingFor"];
        } | null;
        /**
         * BatchProgressWaitingFor
         * @description Why it is not sent faster: `pause` (somebody paused it), `quota` (the account’s 24-hour quota is used up), `provider` (the provider cannot be reached, or has stopped the account for now), `time` (the local time of further contacts), `winner` (of an A/B test), `doubt` (only mails whose outcome is unknown are left), `throttled` (the provider answers that we are too fast; we go slower), `rate` (the rate of the account, or `throttlePerSecond`). Null: nothing.
         */
        BatchProgressWaitingFor: {
            /** @enum {string} */
            reason: "pause" | "quota" | "provider" | "time" | "winner" | "doubt" | "throttled" | "rate";
            /**
             * Format: date-time
             * @description When that is over, if it is known.
             */
            until: string | null;
        } | null;
        /** BatchReason */
        BatchReason: {
            /**
             * @description `failed`; `suppressed` or `opted_out`: was skipped; `pending`: in doubt, the provider may have accepted it.
             * @enum {string}
             */
            status: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out" | "cancelled";
            /** @description Why, a stable word of an open set such as `message_rejected`, `contact_deleted` or `topic_unsubscribed`. Null: of mails in doubt. */
            reason: string | null;
            count: number;
        };
        /** BatchReasonList */
        BatchReasonList: {
            data: components["schemas"]["BatchReason"][];
        };
        /** BatchReport */
        BatchReport: {
            /** Format: uuid */
            id: string;
            name: string | null;
            /** @enum {string} */
            status: "queued" | "scheduled" | "processing" | "completed" | "failed" | "cancelled";
            subject: string;
            from: string;
            fromName: string | null;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            /** Format: date-time */
            audienceFrozenAt: string | null;
            /**
             * Format: date-time
             * @description Time of all figures.
             */
            generatedAt: string;
            funnel: components["schemas"]["BatchReportFunnel"];
            overTime: components["schemas"]["BatchReportOverTime"];
            /** @description The 50 links with the most clicks. `…/clicks` lists all links. */
            links: components["schemas"]["BatchReportLinksItem"][];
            otherLinks: components["schemas"]["BatchReportOtherLinks"];
            /** @description The 50 recipient domains with the most mails. */
            domains: components["schemas"]["BatchReportDomainsItem"][];
            otherDomains: components["schemas"]["BatchReportOtherDomains"];
            /** @description Bounces by reason, the most frequent first. */
            bounces: components["schemas"]["BatchReportBouncesItem"][];
            abTest: components["schemas"]["AbTest"];
        };
        /** BatchReportBouncesItem */
        BatchReportBouncesItem: {
            /** @description `Permanent`, `Transient` or `Undetermined`. */
            type: string;
            /** @description Subtype as reported by the provider. */
            subType: string | null;
            count: number;
            /** @description `true` if it is counted as `suppressed` instead of `bounced`. */
            isSuppressed: boolean;
        };
        /** BatchReportDomainsItem */
        BatchReportDomainsItem: {
            /** @description Domain of the recipients. Null for recipients who were erased. */
            domain: string | null;
            sent: number;
            delivered: number;
            opened: number;
            openedByPeople: number;
            clicked: number;
            unsubscribed: number;
            bounced: number;
            suppressed: number;
            complained: number;
        };
        /**
         * BatchReportFunnel
         * @description Figures of the batch. Each mail counts once in each figure.
         */
        BatchReportFunnel: {
            /** @description An estimate until `audienceFrozenAt` is set. */
            recipients: number;
            sent: number;
            delivered: number;
            /** @description Opens by people and bots, as in the batch. */
            opened: number;
            /** @description Opened by a person. Known bots are not counted. A click counts as an open. */
            openedByPeople: number;
            clicked: number;
            unsubscribed: number;
            bounced: number;
            /** @description Suppressed by the provider because they would bounce. */
            suppressed: number;
            complained: number;
            failed: number;
            skipped: number;
            unknown: number;
        };
        /** BatchReportLinksItem */
        BatchReportLinksItem: {
            /** Format: uuid */
            id: string;
            url: string;
            clicks: number;
            recipients: number;
        };
        /** BatchReportOtherDomains */
        BatchReportOtherDomains: {
            domains: number;
            sent: number;
            delivered: number;
            opened: number;
            openedByPeople: number;
            clicked: number;
            unsubscribed: number;
            bounced: number;
            suppressed: number;
            complained: number;
        };
        /**
         * BatchReportOtherLinks
         * @description Clicks of links beyond the first 1,000 of the batch are counted in `clicks` only.
         */
        BatchReportOtherLinks: {
            links: number;
            clicks: number;
        };
        /**
         * BatchReportOverTime
         * @description First opens, clicks and unsubscribes of mails over time, without gaps. Longer ranges have longer periods.
         */
        BatchReportOverTime: {
            /** @description Length of each period in hours. */
            hoursEach: number;
            data: components["schemas"]["BatchReportOverTimeDataItem"][];
        };
        /** BatchReportOverTimeDataItem */
        BatchReportOverTimeDataItem: {
            /**
             * Format: date-time
             * @description Start of the period.
             */
            from: string;
            opened: number;
            openedByPeople: number;
            clicked: number;
            unsubscribed: number;
        };
        /**
         * BatchSummary
         * @description A batch without `htmlContent`, `textContent`, `variableMappings`, `abTest` and `progress`.
         */
        BatchSummary: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "queued" | "scheduled" | "processing" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            channel: "email" | "sms";
            name: string | null;
            /** @description An estimate until `audienceFrozenAt` is set. */
            totalRecipients: number;
            processedRecipients: number;
            sent: number;
            failed: number;
            /** @description Refused by us: left, or may not be mailed. */
            skipped: number;
            /** @description In doubt: the call may have been accepted. Settled by the provider’s events or their proven absence. */
            unknown: number;
            delivered: number;
            /** @description By anything, known bots too. */
            opened: number;
            /** @description By anything, known bots too; not of links of ours. */
            clicked: number;
            bounced: number;
            complained: number;
            suppressed: number;
            unsubscribed: number;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            audience: components["schemas"]["BatchSummaryAudience"];
            /** Format: date-time */
            audienceFrozenAt: string | null;
            /** @description The address. */
            from: string;
            fromName: string | null;
            replyTo: string | null;
            subject: string;
            previewText: string | null;
            /** Format: date-time */
            scheduledFor: string | null;
            timezoneAware: boolean;
            /** @description Only of a batch that is `timezoneAware`. */
            timezone: string | null;
            throttlePerSecond: number | null;
            /** Format: uuid */
            cloudAccountId: string;
            /** Format: uuid */
            templateId: string | null;
            /**
             * Format: uuid
             * @description Only its subscribers are mailed.
             */
            topicId: string | null;
            /**
             * Format: uuid
             * @description Of audience type `segment`.
             */
            segmentId: string | null;
            exclude: components["schemas"]["BatchSummaryExclude"];
            /** @description Nothing is sent until it is resumed. */
            paused: boolean;
            /** @description `requested`, `duplicated` (not resumed yet). */
            pausedReason: string | null;
            /** @description Why it failed, one of an open set: `sender_rejected` (the provider refuses the sender), `render_timeout` (its mails take too long to make), `not_verified`, `disconnected`, `account_suspended`, `sending_paused`, `stopped_by_operator`, `segment_not_usable`, `segment_too_slow`, `topic_deleted`, `restored` (the server was restored from a backup, and it is not known who was mailed since) … A failed batch can be resumed or discarded; one that was discarded keeps it. */
            failedReason: string | null;
            /** @description Mails that the provider accepted a second time. */
            duplicates: number;
            waitingForOutcome: components["schemas"]["BatchSummaryWaitingForOutcome"];
            waitingForQuota: components["schemas"]["BatchSummaryWaitingForQuota"];
        };
        /** BatchSummaryAudience */
        BatchSummaryAudience: {
            /** @enum {string} */
            type: "all" | "topic" | "segment" | "contacts";
            /** @description Contacts named, for type `contacts`. */
            contactCount: number | null;
        };
        /**
         * BatchSummaryExclude
         * @description Who is in one of them when the audience is frozen is left out.
         */
        BatchSummaryExclude: {
            topicIds: string[];
            segmentIds: string[];
        };
        /**
         * BatchSummaryWaitingForOutcome
         * @description Mails whose call may have been accepted: the provider’s events, or their proven absence, decide. `until` is set while nothing else is open: then the batch is `completed` without them, or with `unknownOutcome` `retry` they are sent again.
         */
        BatchSummaryWaitingForOutcome: {
            count: number;
            /** Format: date-time */
            until: string | null;
        } | null;
        /**
         * BatchSummaryWaitingForQuota
         * @description Nothing is sent at the moment because the account’s 24-hour quota is used up, but for the part that is kept for single mail. `until` is when it is tried again.
         */
        BatchSummaryWaitingForQuota: {
            /** Format: date-time */
            until: string;
        } | null;
        /** BatchVariableMappingsItem */
        BatchVariableMappingsItem: {
            variableName: string;
            source: components["schemas"]["BatchVariableMappingsItemSource"];
        };
        /** BatchVariableMappingsItemSource */
        BatchVariableMappingsItemSource: {
            /** @enum {string} */
            type: "static" | "contact";
            value?: string | number | boolean;
            field?: string;
        };
        /**
         * BatchWaitingForOutcome
         * @description Mails whose call may have been accepted: the provider’s events, or their proven absence, decide. `until` is set while nothing else is open: then the batch is `completed` without them, or with `unknownOutcome` `retry` they are sent again.
         */
        BatchWaitingForOutcome: {
            count: number;
            /** Format: date-time */
            until: string | null;
        } | null;
        /**
         * BatchWaitingForQuota
         * @description Nothing is sent at the moment because the account’s 24-hour quota is used up, but for the part that is kept for single mail. `until` is when it is tried again.
         */
        BatchWaitingForQuota: {
            /** Format: date-time */
            until: string;
        } | null;
        /** BimiReport */
        BimiReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["BimiReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** BimiReportDetails */
        BimiReportDetails: {
            record: string | null;
            foundAt: string | null;
            logoUrl: string | null;
            certificateUrl: string | null;
        };
        /** BlocklistReport */
        BlocklistReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["BlocklistReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** BlocklistReportDetails */
        BlocklistReportDetails: {
            readings: components["schemas"]["BlocklistReportDetailsReadingsItem"][];
        };
        /** BlocklistReportDetailsReadingsItem */
        BlocklistReportDetailsReadingsItem: {
            list: string;
            /** @description An address or a domain. */
            entry: string;
            /**
             * @description `unknown`: the list refused the query or did not answer.
             * @enum {string}
             */
            state: "listed" | "not_listed" | "unknown";
            codes: string[];
        };
        /** BranchCondition */
        BranchCondition: {
            branch: string;
        };
        /** CancelledBatch */
        CancelledBatch: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "queued" | "scheduled" | "processing" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            channel: "email" | "sms";
            name: string | null;
            /** @description An estimate until `audienceFrozenAt` is set. */
            totalRecipients: number;
            processedRecipients: number;
            sent: number;
            failed: number;
            /** @description Refused by us: left, or may not be mailed. */
            skipped: number;
            /** @description In doubt: the call may have been accepted. Settled by the provider’s events or their proven absence. */
            unknown: number;
            delivered: number;
            /** @description By anything, known bots too. */
            opened: number;
            /** @description By anything, known bots too; not of links of ours. */
            clicked: number;
            bounced: number;
            complained: number;
            suppressed: number;
            unsubscribed: number;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            audience: components["schemas"]["CancelledBatchAudience"];
            /** Format: date-time */
            audienceFrozenAt: string | null;
            /** @description The address. */
            from: string;
            fromName: string | null;
            replyTo: string | null;
            subject: string;
            previewText: string | null;
            /** Format: date-time */
            scheduledFor: string | null;
            timezoneAware: boolean;
            /** @description Only of a batch that is `timezoneAware`. */
            timezone: string | null;
            throttlePerSecond: number | null;
            /** Format: uuid */
            cloudAccountId: string;
            /** Format: uuid */
            templateId: string | null;
            /**
             * Format: uuid
             * @description Only its subscribers are mailed.
             */
            topicId: string | null;
            /**
             * Format: uuid
             * @description Of audience type `segment`.
             */
            segmentId: string | null;
            exclude: components["schemas"]["CancelledBatchExclude"];
            /** @description Nothing is sent until it is resumed. */
            paused: boolean;
            /** @description `requested`, `duplicated` (not resumed yet). */
            pausedReason: string | null;
            /** @description Why it failed, one of an open set: `sender_rejected` (the provider refuses the sender), `render_timeout` (its mails take too long to make), `not_verified`, `disconnected`, `account_suspended`, `sending_paused`, `stopped_by_operator`, `segment_not_usable`, `segment_too_slow`, `topic_deleted`, `restored` (the server was restored from a backup, and it is not known who was mailed since) … A failed batch can be resumed or discarded; one that was discarded keeps it. */
            failedReason: string | null;
            /** @description Mails that the provider accepted a second time. */
            duplicates: number;
            waitingForOutcome: components["schemas"]["CancelledBatchWaitingForOutcome"];
            waitingForQuota: components["schemas"]["CancelledBatchWaitingForQuota"];
            /** @description As it is sent; with `templateId` that of the version that the batch keeps. */
            htmlContent: string;
            /** @description As it is sent: made of the HTML if none was given. */
            textContent: string;
            variableMappings: components["schemas"]["CancelledBatchVariableMappingsItem"][];
            abTest: components["schemas"]["AbTest"];
            progress: components["schemas"]["CancelledBatchProgress"];
            /** @constant */
            success: true;
        };
        /** CancelledBatchAudience */
        CancelledBatchAudience: {
            /** @enum {string} */
            type: "all" | "topic" | "segment" | "contacts";
            /** @description Contacts named, for type `contacts`. */
            contactCount: number | null;
        };
        /**
         * CancelledBatchExclude
         * @description Who is in one of them when the audience is frozen is left out.
         */
        CancelledBatchExclude: {
            topicIds: string[];
            segmentIds: string[];
        };
        /**
         * CancelledBatchProgress
         * @description How it comes on. Null unless the batch is `processing`.
         */
        CancelledBatchProgress: {
            /** @description Mails a second that the provider accepted in the last minute. */
            ratePerSecond: number;
            /**
             * Format: date-time
             * @description When all mails are sent at this rate. Null while nothing is sent, or it waits for something without a known end.
             */
            expectedEnd: string | null;
            waitingFor: components["schemas"]["CancelledBatchProgressWaitingFor"];
        } | null;
        /**
         * CancelledBatchProgressWaitingFor
         * @description Why it is not sent faster: `pause` (somebody paused it), `quota` (the account’s 24-hour quota is used up), `provider` (the provider cannot be reached, or has stopped the account for now), `time` (the local time of further contacts), `winner` (of an A/B test), `doubt` (only mails whose outcome is unknown are left), `throttled` (the provider answers that we are too fast; we go slower), `rate` (the rate of the account, or `throttlePerSecond`). Null: nothing.
         */
        CancelledBatchProgressWaitingFor: {
            /** @enum {string} */
            reason: "pause" | "quota" | "provider" | "time" | "winner" | "doubt" | "throttled" | "rate";
            /**
             * Format: date-time
             * @description When that is over, if it is known.
             */
            until: string | null;
        } | null;
        /** CancelledBatchVariableMappingsItem */
        CancelledBatchVariableMappingsItem: {
            variableName: string;
            source: components["schemas"]["CancelledBatchVariableMappingsItemSource"];
        };
        /** CancelledBatchVariableMappingsItemSource */
        CancelledBatchVariableMappingsItemSource: {
            /** @enum {string} */
            type: "static" | "contact";
            value?: string | number | boolean;
            field?: string;
        };
        /**
         * CancelledBatchWaitingForOutcome
         * @description Mails whose call may have been accepted: the provider’s events, or their proven absence, decide. `until` is set while nothing else is open: then the batch is `completed` without them, or with `unknownOutcome` `retry` they are sent again.
         */
        CancelledBatchWaitingForOutcome: {
            count: number;
            /** Format: date-time */
            until: string | null;
        } | null;
        /**
         * CancelledBatchWaitingForQuota
         * @description Nothing is sent at the moment because the account’s 24-hour quota is used up, but for the part that is kept for single mail. `until` is when it is tried again.
         */
        CancelledBatchWaitingForQuota: {
            /** Format: date-time */
            until: string;
        } | null;
        /** ChangedWorkflow */
        ChangedWorkflow: {
            /** Format: uuid */
            id: string;
            slug: string;
            name: string;
            description: string | null;
            enabled: boolean;
            /** @description The newest version. New executions use it, running ones keep theirs. */
            version: number;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            stats: components["schemas"]["FlowStats"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the workflow was last pushed. Null: never.
             */
            pushedAt: string | null;
            scheduleFailure: components["schemas"]["ScheduleFailure"];
            triggerConfig: components["schemas"]["TriggerConfig"];
            steps: components["schemas"]["FlowStep"][];
            transitions: components["schemas"]["FlowTransition"][];
            settings: components["schemas"]["FlowSettings"];
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** CheckBimiInput */
        CheckBimiInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
            /** @description BIMI selector, the `s=` of the BIMI-Selector header. Defaults to `default`. */
            selector?: string;
        };
        /** CheckDkimInput */
        CheckDkimInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
            /** @description DKIM selectors. Without them, common selectors are tried. Selectors of Amazon SES cannot be guessed. */
            selectors?: string[];
        };
        /** CheckEmailInput */
        CheckEmailInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
            /** @description DKIM selectors. Without them, common selectors are tried. Selectors of Amazon SES cannot be guessed. */
            selectors?: string[];
        };
        /** CheckSpfInput */
        CheckSpfInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
            /** @description An IP address. The report then includes whether its mail passes. */
            ip?: string;
            /**
             * Format: email
             * @description Envelope sender. Defaults to postmaster of the domain.
             */
            sender?: string;
            /** @description HELO name. Defaults to the domain. */
            helo?: string;
        };
        /** CheckUnsubscribeMailInput */
        CheckUnsubscribeMailInput: {
            /** @description The complete mail as it was received, unchanged. It is not stored. */
            message: string;
        };
        /**
         * Condition
         * @description A condition has at most 100 filters in all.
         */
        Condition: {
            /**
             * @description Operator that joins the groups.
             * @enum {string}
             */
            logic: "AND" | "OR";
            groups: components["schemas"]["ConditionGroup"][];
        };
        /** ConditionGroup */
        ConditionGroup: {
            /** @description Set to `true` to negate the group, including its nested conditions. */
            not?: boolean;
            /** @description Filters of the group. All of them must hold. */
            filters: components["schemas"]["Filter"][];
            nested?: components["schemas"]["ConditionGroupNested"];
        };
        /**
         * ConditionGroupNested
         * @description A further condition that must hold, too. Conditions can be nested 5 levels deep.
         */
        ConditionGroupNested: {
            [key: string]: unknown;
        };
        /**
         * ConditionStep
         * @description Branches: `yes` and `no`.
         */
        ConditionStep: {
            id: string;
            /** @constant */
            type: "condition";
            name: string;
            config: components["schemas"]["ConditionStepConfig"];
            position?: components["schemas"]["ConditionStepPosition"];
        };
        /** ConditionStepConfig */
        ConditionStepConfig: {
            condition: components["schemas"]["Condition"];
        };
        /**
         * ConditionStepPosition
         * @description Position in your editor. It has no effect.
         */
        ConditionStepPosition: {
            x: number;
            y: number;
        };
        /** Confirmed */
        Confirmed: {
            /** @constant */
            success: true;
            message: string;
        };
        /** Connection */
        Connection: {
            /** Format: uuid */
            id: string;
            accountId: string;
            name: string | null;
            region: string;
            emailEnabled: boolean;
            smsEnabled: boolean;
            isVerified: boolean;
            verificationError: string | null;
            /** @description Problems that do not prevent sending. `no_configuration_set`: no mail was accepted with the configuration set of the setup file, so delivery events depend on the identity’s own set. `no_events`: no delivery event has arrived yet. `events_missing`: mail was sent, but no delivery event arrived for 15 minutes. `event_queue_denied`, `event_queue_missing`, `event_queue_throttled`, `event_queue_failed`: the last poll of the queue failed. `events_not_kept`: more delivery events of other programs’ mail arrived today or yesterday than are stored in a day (10,000, or 5 MiB), and the others were ignored. */
            warnings: ("no_configuration_set" | "no_events" | "events_missing" | "event_queue_denied" | "event_queue_missing" | "event_queue_throttled" | "event_queue_failed" | "events_not_kept")[];
            webhookConnected: boolean;
            snsTopicArn: string | null;
            eventQueueUrl: string | null;
            /** Format: date-time */
            lastVerifiedAt: string | null;
            /** Format: date-time */
            lastEventReceivedAt: string | null;
            /** Format: date-time */
            disconnectedAt: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        /**
         * ConnectionInput
         * @description `accountId` or its alias is required.
         */
        ConnectionInput: {
            accountId?: string;
            /** @description Alias of `accountId`. */
            awsAccountId?: string;
            /** @enum {string} */
            region: "af-south-1" | "ap-northeast-1" | "ap-northeast-2" | "ap-northeast-3" | "ap-south-1" | "ap-south-2" | "ap-southeast-1" | "ap-southeast-2" | "ap-southeast-3" | "ap-southeast-5" | "ca-central-1" | "ca-west-1" | "eu-central-1" | "eu-central-2" | "eu-north-1" | "eu-south-1" | "eu-west-1" | "eu-west-2" | "eu-west-3" | "il-central-1" | "me-central-1" | "me-south-1" | "sa-east-1" | "us-east-1" | "us-east-2" | "us-gov-east-1" | "us-gov-west-1" | "us-west-1" | "us-west-2";
            name?: string;
            features?: components["schemas"]["ConnectionInputFeatures"];
        } | {
            accountId: string;
        } | {
            awsAccountId: string;
        };
        /**
         * ConnectionInputFeatures
         * @description Settings of the channels: `email` (on unless false) and `sms` (off unless true). Other fields are stored.
         */
        ConnectionInputFeatures: {
            [key: string]: unknown;
        };
        /** ConnectionList */
        ConnectionList: {
            connections: components["schemas"]["Connection"][];
        };
        /** ConnectionPatch */
        ConnectionPatch: {
            name?: string | null;
            /** @description SNS topic of the account and region whose notifications are accepted. Null if there is none. */
            snsTopicArn?: string | null;
            /** @description SQS queue of the account and region from which delivery events are read. Null if there is none. */
            eventQueueUrl?: string | null;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            accountId?: unknown;
            /** @description Ignored. */
            region?: unknown;
            /** @description Ignored. */
            emailEnabled?: unknown;
            /** @description Ignored. */
            smsEnabled?: unknown;
            /** @description Ignored. */
            isVerified?: unknown;
            /** @description Ignored. */
            verificationError?: unknown;
            /** @description Ignored. */
            warnings?: unknown;
            /** @description Ignored. */
            webhookConnected?: unknown;
            /** @description Ignored. */
            lastVerifiedAt?: unknown;
            /** @description Ignored. */
            lastEventReceivedAt?: unknown;
            /** @description Ignored. */
            disconnectedAt?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
        };
        /** ConnectionVerification */
        ConnectionVerification: {
            /** @description `true` if mail is sent through the account. */
            isVerified: boolean;
            verificationError: string | null;
            /** @description Problems that do not prevent sending. `no_configuration_set`: no mail was accepted with the configuration set of the setup file, so delivery events depend on the identity’s own set. `no_events`: no delivery event has arrived yet. `events_missing`: mail was sent, but no delivery event arrived for 15 minutes. `event_queue_denied`, `event_queue_missing`, `event_queue_throttled`, `event_queue_failed`: the last poll of the queue failed. `events_not_kept`: more delivery events of other programs’ mail arrived today or yesterday than are stored in a day (10,000, or 5 MiB), and the others were ignored. */
            warnings: ("no_configuration_set" | "no_events" | "events_missing" | "event_queue_denied" | "event_queue_missing" | "event_queue_throttled" | "event_queue_failed" | "events_not_kept")[];
            /** Format: date-time */
            checkedAt: string;
            checks: components["schemas"]["ConnectionVerificationChecksItem"][];
        };
        /** ConnectionVerificationChecksItem */
        ConnectionVerificationChecksItem: {
            /** @description `role`, `external_id`, or the name of an action in IAM. */
            name: string;
            ok: boolean;
            /** @enum {string} */
            error?: "role_refused" | "external_id_not_required" | "denied" | "no_sending_rate" | "throttled" | "no_answer" | "not_tried";
        };
        /** ConsolePolicyReading */
        ConsolePolicyReading: {
            /** @description Version of the policy. Null if it was never read, or if the role carries no console policy. */
            version: number | null;
            /** @description Version of a newly generated policy. */
            currentVersion: number;
            upToDate: boolean;
            /** Format: date-time */
            checkedAt: string | null;
            /** @description `false` if the result of an earlier check was returned. */
            rechecked: boolean;
        };
        /** Contact */
        Contact: {
            /** Format: uuid */
            id: string;
            externalId: string | null;
            email: string | null;
            phone: string | null;
            firstName: string | null;
            lastName: string | null;
            company: string | null;
            jobTitle: string | null;
            /** @enum {string|null} */
            emailStatus: "active" | "unsubscribed" | "bounced" | "suppressed" | "complained" | null;
            /** @enum {string|null} */
            smsStatus: "pending_consent" | "opted_in" | "opted_out" | "invalid" | null;
            /** @enum {string|null} */
            preferredChannel: "email" | "sms" | null;
            properties: components["schemas"]["ContactProperties"];
            emailsSent: number;
            /** @description Mails opened by people. Known bots are not counted. A click counts as an open, too. */
            emailsOpened: number;
            /** @description Mails clicked by people. Links to our own pages are not counted. */
            emailsClicked: number;
            smsSent: number;
            smsClicked: number;
            /** Format: date-time */
            emailVerifiedAt: string | null;
            /** Format: date-time */
            emailUnsubscribedAt: string | null;
            /** Format: date-time */
            emailBouncedAt: string | null;
            /** Format: date-time */
            emailComplainedAt: string | null;
            /** Format: date-time */
            emailSuppressedAt: string | null;
            /** Format: date-time */
            smsConsentedAt: string | null;
            /** Format: date-time */
            smsOptedOutAt: string | null;
            /** Format: date-time */
            lastActivityAt: string | null;
            /** Format: date-time */
            lastEmailSentAt: string | null;
            /** Format: date-time */
            lastEmailOpenedAt: string | null;
            /** Format: date-time */
            lastEmailClickedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Returned for a single contact, not in lists. */
            topics?: components["schemas"]["ContactTopic"][];
            /** @description Returned after a write: topics whose subscription awaits confirmation. */
            pendingTopics?: string[];
            /** @description `true` if the requested status was refused, because the person unsubscribed or the address is suppressed. The contact keeps its status. */
            emailStatusKept?: boolean;
            /** @description `true` if the requested status was refused, because the number opted out or is invalid. The contact keeps its status. */
            smsStatusKept?: boolean;
        };
        /** ContactBatchInput */
        ContactBatchInput: {
            /** @description Each row is checked on its own. An invalid row is reported in `errorDetails`, and all other rows are accepted. */
            contacts: components["schemas"]["ContactInput"][];
        };
        /** ContactBatchResult */
        ContactBatchResult: {
            /** @description `true` if every row was stored. */
            success: boolean;
            created: number;
            updated: number;
            failed: number;
            results: components["schemas"]["ContactBatchRow"][];
            /** @description Messages of `errorDetails`, for people. */
            errors: string[];
            /** @description Refused rows, in the order of the request. */
            errorDetails: components["schemas"]["RowError"][];
        };
        /** ContactBatchRow */
        ContactBatchRow: {
            index: number;
            /** Format: uuid */
            id: string | null;
            /** @enum {string} */
            status: "created" | "updated" | "failed";
            /** @description `true` if `active` was requested, but the contact keeps its status, because the person unsubscribed. */
            emailStatusKept?: boolean;
            /** @description `true` if the requested status was refused, because the number opted out or is invalid. The contact keeps its status. */
            smsStatusKept?: boolean;
            error?: string;
        };
        /** ContactEvent */
        ContactEvent: {
            /** Format: uuid */
            id: string;
            /**
             * @description `custom`: an event that your programs sent to `POST /v1/events`.
             * @enum {string}
             */
            type: "consent" | "custom";
            /** @description Name of the event. Custom events can have any name. Other events: topic_subscribed, topic_unsubscribed, topic_confirmation_requested, topic_confirmation_expired, resubscribed, unsubscribed, bounced, suppressed, complained, sms_opted_in, sms_opted_out. */
            name: string;
            properties: components["schemas"]["ContactEventProperties"];
            /** Format: date-time */
            occurredAt: string;
        };
        /** ContactEventList */
        ContactEventList: {
            data: components["schemas"]["ContactEvent"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * ContactEventProperties
         * @description For a consent event: `topicId`, `topicSlug` (null if the topic was deleted), and `source`, the cause: `api`, `link`, `confirmation` …
         */
        ContactEventProperties: {
            [key: string]: unknown;
        };
        /** ContactExport */
        ContactExport: {
            contact: components["schemas"]["ContactExportContact"];
            stats: components["schemas"]["ContactExportStats"];
            topics: components["schemas"]["ContactExportTopicsItem"][];
            /** @description Changes of consent, with their times and sources. */
            consentEvents: components["schemas"]["ContactExportConsentEventsItem"][];
            suppression: components["schemas"]["ContactExportSuppression"];
            phoneConsent: components["schemas"]["ContactExportPhoneConsent"];
            /** @description Email logs with their timelines and stored bodies. */
            mails: components["schemas"]["ContactExportMailsItem"][];
            /** @description Custom events of the contact. */
            events: components["schemas"]["ContactExportEventsItem"][];
            /** @description Executions of workflows with their steps. */
            executions: components["schemas"]["ContactExportExecutionsItem"][];
            /** @description Rows refused by imports that mention the contact. */
            importErrors: components["schemas"]["ContactExportImportErrorsItem"][];
            auditEvents: components["schemas"]["ContactExportAuditEventsItem"][];
        };
        /** ContactExportAuditEventsItem */
        ContactExportAuditEventsItem: {
            [key: string]: unknown;
        };
        /** ContactExportConsentEventsItem */
        ContactExportConsentEventsItem: {
            [key: string]: unknown;
        };
        /**
         * ContactExportContact
         * @description All stored fields of the contact.
         */
        ContactExportContact: {
            [key: string]: unknown;
        };
        /** ContactExportEventsItem */
        ContactExportEventsItem: {
            [key: string]: unknown;
        };
        /** ContactExportExecutionsItem */
        ContactExportExecutionsItem: {
            [key: string]: unknown;
        };
        /** ContactExportImportErrorsItem */
        ContactExportImportErrorsItem: {
            [key: string]: unknown;
        };
        /** ContactExportMailsItem */
        ContactExportMailsItem: {
            [key: string]: unknown;
        };
        /**
         * ContactExportPhoneConsent
         * @description What is known of the number: opt-outs of text messages and their end.
         */
        ContactExportPhoneConsent: {
            [key: string]: unknown;
        } | null;
        /** ContactExportStats */
        ContactExportStats: {
            [key: string]: unknown;
        } | null;
        /**
         * ContactExportSuppression
         * @description Entry of the suppression list.
         */
        ContactExportSuppression: {
            [key: string]: unknown;
        } | null;
        /** ContactExportTopicsItem */
        ContactExportTopicsItem: {
            [key: string]: unknown;
        };
        /**
         * ContactInput
         * @description `email` or `phone` is required.
         */
        ContactInput: {
            externalId?: string;
            /** Format: email */
            email?: string;
            phone?: string;
            firstName?: string;
            lastName?: string;
            company?: string;
            jobTitle?: string;
            /** @enum {string} */
            emailStatus?: "active" | "unsubscribed" | "bounced" | "suppressed" | "complained";
            /** @enum {string} */
            smsStatus?: "pending_consent" | "opted_in" | "opted_out" | "invalid";
            /** @enum {string} */
            preferredChannel?: "email" | "sms";
            properties?: components["schemas"]["ContactInputProperties"];
            topicIds?: string[];
            topicSlugs?: string[];
            /** @description Set to `true` if the person asked to receive messages again. `active` then resubscribes a contact who unsubscribed and removes the address from the suppression list. Contacts who complained or were suppressed can be resubscribed with the scope `full` only. The same holds for `smsStatus`: `opted_in` or `pending_consent` then ends `invalid`, and with the scope `full` also `opted_out`. */
            resubscribe?: boolean;
        };
        /**
         * ContactInputProperties
         * @description At most 32,768 characters as JSON, nested at most 8 levels deep. A null value removes the key.
         */
        ContactInputProperties: {
            [key: string]: unknown;
        };
        /** ContactList */
        ContactList: {
            contacts: components["schemas"]["Contact"][];
            total: number;
            page: number;
            pageSize: number;
            totalPages: number;
            /** @description `false` if there are more than 10,000 contacts, up to which they are counted. */
            totalIsExact: boolean;
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * ContactPatch
         * @description Only the fields that are sent change. Send null to clear a field. `properties` are merged, and a null value removes a key. Topics are added. A null status is ignored.
         */
        ContactPatch: {
            externalId?: string | null;
            /** Format: email */
            email?: string | null;
            phone?: string | null;
            firstName?: string | null;
            lastName?: string | null;
            company?: string | null;
            jobTitle?: string | null;
            /** @enum {string|null} */
            emailStatus?: "active" | "unsubscribed" | "bounced" | "suppressed" | "complained" | null;
            /** @enum {string|null} */
            smsStatus?: "pending_consent" | "opted_in" | "opted_out" | "invalid" | null;
            /** @enum {string|null} */
            preferredChannel?: "email" | "sms" | null;
            properties?: components["schemas"]["ContactPatchProperties"];
            topicIds?: string[];
            topicSlugs?: string[];
            /** @description Set to `true` if the person asked to receive messages again. `active` then resubscribes a contact who unsubscribed and removes the address from the suppression list. Contacts who complained or were suppressed can be resubscribed with the scope `full` only. The same holds for `smsStatus`: `opted_in` or `pending_consent` then ends `invalid`, and with the scope `full` also `opted_out`. */
            resubscribe?: boolean;
            /** @description Accepted and ignored. */
            readonly id?: unknown;
            /** @description Accepted and ignored. */
            readonly emailsSent?: unknown;
            /** @description Accepted and ignored. */
            readonly emailsOpened?: unknown;
            /** @description Accepted and ignored. */
            readonly emailsClicked?: unknown;
            /** @description Accepted and ignored. */
            readonly smsSent?: unknown;
            /** @description Accepted and ignored. */
            readonly smsClicked?: unknown;
            /** @description Accepted and ignored. */
            readonly emailVerifiedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailUnsubscribedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailBouncedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailComplainedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailSuppressedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly smsConsentedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly smsOptedOutAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastActivityAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastEmailSentAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastEmailOpenedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastEmailClickedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly createdAt?: unknown;
            /** @description Accepted and ignored. */
            readonly updatedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly topics?: unknown;
            /** @description Accepted and ignored. */
            readonly pendingTopics?: unknown;
            /** @description Accepted and ignored. */
            readonly emailStatusKept?: unknown;
            /** @description Accepted and ignored. */
            readonly smsStatusKept?: unknown;
        };
        /**
         * ContactPatchProperties
         * @description At most 32,768 characters as JSON, nested at most 8 levels deep. A null value removes the key.
         */
        ContactPatchProperties: {
            [key: string]: unknown;
        } | null;
        /** ContactProperties */
        ContactProperties: {
            [key: string]: unknown;
        };
        /**
         * ContactReplacement
         * @description Fields that are not sent are cleared, but statuses stay. With `topicIds` or `topicSlugs`, the topics of the contact are replaced.
         */
        ContactReplacement: {
            externalId?: string | null;
            /** Format: email */
            email?: string | null;
            phone?: string | null;
            firstName?: string | null;
            lastName?: string | null;
            company?: string | null;
            jobTitle?: string | null;
            /** @enum {string|null} */
            emailStatus?: "active" | "unsubscribed" | "bounced" | "suppressed" | "complained" | null;
            /** @enum {string|null} */
            smsStatus?: "pending_consent" | "opted_in" | "opted_out" | "invalid" | null;
            /** @enum {string|null} */
            preferredChannel?: "email" | "sms" | null;
            properties?: components["schemas"]["ContactReplacementProperties"];
            topicIds?: string[];
            topicSlugs?: string[];
            /** @description Set to `true` if the person asked to receive messages again. `active` then resubscribes a contact who unsubscribed and removes the address from the suppression list. Contacts who complained or were suppressed can be resubscribed with the scope `full` only. The same holds for `smsStatus`: `opted_in` or `pending_consent` then ends `invalid`, and with the scope `full` also `opted_out`. */
            resubscribe?: boolean;
            /** @description Accepted and ignored. */
            readonly id?: unknown;
            /** @description Accepted and ignored. */
            readonly emailsSent?: unknown;
            /** @description Accepted and ignored. */
            readonly emailsOpened?: unknown;
            /** @description Accepted and ignored. */
            readonly emailsClicked?: unknown;
            /** @description Accepted and ignored. */
            readonly smsSent?: unknown;
            /** @description Accepted and ignored. */
            readonly smsClicked?: unknown;
            /** @description Accepted and ignored. */
            readonly emailVerifiedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailUnsubscribedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailBouncedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailComplainedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly emailSuppressedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly smsConsentedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly smsOptedOutAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastActivityAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastEmailSentAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastEmailOpenedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly lastEmailClickedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly createdAt?: unknown;
            /** @description Accepted and ignored. */
            readonly updatedAt?: unknown;
            /** @description Accepted and ignored. */
            readonly topics?: unknown;
            /** @description Accepted and ignored. */
            readonly pendingTopics?: unknown;
            /** @description Accepted and ignored. */
            readonly emailStatusKept?: unknown;
            /** @description Accepted and ignored. */
            readonly smsStatusKept?: unknown;
        };
        /**
         * ContactReplacementProperties
         * @description At most 32,768 characters as JSON, nested at most 8 levels deep. A null value removes the key.
         */
        ContactReplacementProperties: {
            [key: string]: unknown;
        } | null;
        /** ContactTopic */
        ContactTopic: {
            /** Format: uuid */
            topicId: string;
            topicSlug: string;
            topicName: string;
            /** @enum {string} */
            status: "pending" | "subscribed" | "unsubscribed";
            /** Format: date-time */
            subscribedAt: string | null;
        };
        /**
         * ContactTopicsInput
         * @description All topics of the contact. `topicIds` or `topicSlugs` is required.
         */
        ContactTopicsInput: {
            topicIds?: string[];
            topicSlugs?: string[];
            /** @description Set to `true` if the person asked to receive messages again. `active` then resubscribes a contact who unsubscribed and removes the address from the suppression list. Contacts who complained or were suppressed can be resubscribed with the scope `full` only. The same holds for `smsStatus`: `opted_in` or `pending_consent` then ends `invalid`, and with the scope `full` also `opted_out`. */
            resubscribe?: boolean;
        };
        /** ContactsDeleted */
        ContactsDeleted: {
            /** @constant */
            success: true;
            deleted: number;
        };
        /** ContactsDeletion */
        ContactsDeletion: {
            ids: string[];
        };
        /** CreatedBatch */
        CreatedBatch: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "queued" | "scheduled" | "processing" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            channel: "email" | "sms";
            name: string | null;
            /** @description An estimate until `audienceFrozenAt` is set. */
            totalRecipients: number;
            processedRecipients: number;
            sent: number;
            failed: number;
            /** @description Refused by us: left, or may not be mailed. */
            skipped: number;
            /** @description In doubt: the call may have been accepted. Settled by the provider’s events or their proven absence. */
            unknown: number;
            delivered: number;
            /** @description By anything, known bots too. */
            opened: number;
            /** @description By anything, known bots too; not of links of ours. */
            clicked: number;
            bounced: number;
            complained: number;
            suppressed: number;
            unsubscribed: number;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            completedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            audience: components["schemas"]["CreatedBatchAudience"];
            /** Format: date-time */
            audienceFrozenAt: string | null;
            /** @description The address. */
            from: string;
            fromName: string | null;
            replyTo: string | null;
            subject: string;
            previewText: string | null;
            /** Format: date-time */
            scheduledFor: string | null;
            timezoneAware: boolean;
            /** @description Only of a batch that is `timezoneAware`. */
            timezone: string | null;
            throttlePerSecond: number | null;
            /** Format: uuid */
            cloudAccountId: string;
            /** Format: uuid */
            templateId: string | null;
            /**
             * Format: uuid
             * @description Only its subscribers are mailed.
             */
            topicId: string | null;
            /**
             * Format: uuid
             * @description Of audience type `segment`.
             */
            segmentId: string | null;
            exclude: components["schemas"]["CreatedBatchExclude"];
            /** @description Nothing is sent until it is resumed. */
            paused: boolean;
            /** @description `requested`, `duplicated` (not resumed yet). */
            pausedReason: string | null;
            /** @description Why it failed, one of an open set: `sender_rejected` (the provider refuses the sender), `render_timeout` (its mails take too long to make), `not_verified`, `disconnected`, `account_suspended`, `sending_paused`, `stopped_by_operator`, `segment_not_usable`, `segment_too_slow`, `topic_deleted`, `restored` (the server was restored from a backup, and it is not known who was mailed since) … A failed batch can be resumed or discarded; one that was discarded keeps it. */
            failedReason: string | null;
            /** @description Mails that the provider accepted a second time. */
            duplicates: number;
            waitingForOutcome: components["schemas"]["CreatedBatchWaitingForOutcome"];
            waitingForQuota: components["schemas"]["CreatedBatchWaitingForQuota"];
            /** @description As it is sent; with `templateId` that of the version that the batch keeps. */
            htmlContent: string;
            /** @description As it is sent: made of the HTML if none was given. */
            textContent: string;
            variableMappings: components["schemas"]["CreatedBatchVariableMappingsItem"][];
            abTest: components["schemas"]["AbTest"];
            progress: components["schemas"]["CreatedBatchProgress"];
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** CreatedBatchAudience */
        CreatedBatchAudience: {
            /** @enum {string} */
            type: "all" | "topic" | "segment" | "contacts";
            /** @description Contacts named, for type `contacts`. */
            contactCount: number | null;
        };
        /**
         * CreatedBatchExclude
         * @description Who is in one of them when the audience is frozen is left out.
         */
        CreatedBatchExclude: {
            topicIds: string[];
            segmentIds: string[];
        };
        /**
         * CreatedBatchProgress
         * @description How it comes on. Null unless the batch is `processing`.
         */
        CreatedBatchProgress: {
            /** @description Mails a second that the provider accepted in the last minute. */
            ratePerSecond: number;
            /**
             * Format: date-time
             * @description When all mails are sent at this rate. Null while nothing is sent, or it waits for something without a known end.
             */
            expectedEnd: string | null;
            waitingFor: components["schemas"]["CreatedBatchProgressWaitingFor"];
        } | null;
        /**
         * CreatedBatchProgressWaitingFor
         * @description Why it is not sent faster: `pause` (somebody paused it), `quota` (the account’s 24-hour quota is used up), `provider` (the provider cannot be reached, or has stopped the account for now), `time` (the local time of further contacts), `winner` (of an A/B test), `doubt` (only mails whose outcome is unknown are left), `throttled` (the provider answers that we are too fast; we go slower), `rate` (the rate of the account, or `throttlePerSecond`). Null: nothing.
         */
        CreatedBatchProgressWaitingFor: {
            /** @enum {string} */
            reason: "pause" | "quota" | "provider" | "time" | "winner" | "doubt" | "throttled" | "rate";
            /**
             * Format: date-time
             * @description When that is over, if it is known.
             */
            until: string | null;
        } | null;
        /** CreatedBatchVariableMappingsItem */
        CreatedBatchVariableMappingsItem: {
            variableName: string;
            source: components["schemas"]["CreatedBatchVariableMappingsItemSource"];
        };
        /** CreatedBatchVariableMappingsItemSource */
        CreatedBatchVariableMappingsItemSource: {
            /** @enum {string} */
            type: "static" | "contact";
            value?: string | number | boolean;
            field?: string;
        };
        /**
         * CreatedBatchWaitingForOutcome
         * @description Mails whose call may have been accepted: the provider’s events, or their proven absence, decide. `until` is set while nothing else is open: then the batch is `completed` without them, or with `unknownOutcome` `retry` they are sent again.
         */
        CreatedBatchWaitingForOutcome: {
            count: number;
            /** Format: date-time */
            until: string | null;
        } | null;
        /**
         * CreatedBatchWaitingForQuota
         * @description Nothing is sent at the moment because the account’s 24-hour quota is used up, but for the part that is kept for single mail. `until` is when it is tried again.
         */
        CreatedBatchWaitingForQuota: {
            /** Format: date-time */
            until: string;
        } | null;
        /** CreatedWorkflow */
        CreatedWorkflow: {
            /** Format: uuid */
            id: string;
            slug: string;
            name: string;
            description: string | null;
            enabled: boolean;
            /** @description The newest version. New executions use it, running ones keep theirs. */
            version: number;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            stats: components["schemas"]["FlowStats"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the workflow was last pushed. Null: never.
             */
            pushedAt: string | null;
            scheduleFailure: components["schemas"]["ScheduleFailure"];
            triggerConfig: components["schemas"]["TriggerConfig"];
            steps: components["schemas"]["FlowStep"][];
            transitions: components["schemas"]["FlowTransition"][];
            settings: components["schemas"]["FlowSettings"];
            /** @description Secret that signs webhooks (Standard Webhooks). It is returned only once, and is null in a replayed response. */
            webhookSecret: string | null;
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** CurrentSession */
        CurrentSession: {
            user: components["schemas"]["CurrentSessionUser"];
            organization: components["schemas"]["CurrentSessionOrganization"];
            /**
             * @description Your role in the organization.
             * @enum {string}
             */
            role: "viewer" | "member" | "admin" | "owner";
            /** @description Scopes of the role. */
            scopes: string[];
            /** @description All organizations of the person, in the order of joining. */
            organizations: components["schemas"]["CurrentSessionOrganizationsItem"][];
            /**
             * Format: date-time
             * @description When the session expires. It expires earlier if it is not used for 14 days.
             */
            expiresAt: string;
        };
        /**
         * CurrentSessionOrganization
         * @description Organization of the session.
         */
        CurrentSessionOrganization: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** CurrentSessionOrganizationsItem */
        CurrentSessionOrganizationsItem: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        /** CurrentSessionUser */
        CurrentSessionUser: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
        };
        /** DelaySpan */
        DelaySpan: {
            amount: number;
            /** @enum {string} */
            unit: "minutes" | "hours" | "days" | "weeks";
        };
        /**
         * DelayStep
         * @description The execution is `paused` until the delay ends.
         */
        DelayStep: {
            id: string;
            /** @constant */
            type: "delay";
            name: string;
            config: components["schemas"]["DelayStepConfig"];
            position?: components["schemas"]["DelayStepPosition"];
        };
        /**
         * DelayStepConfig
         * @description A duration of at most 366 days, or the next time of day.
         */
        DelayStepConfig: components["schemas"]["DelaySpan"] | components["schemas"]["DelayUntil"];
        /**
         * DelayStepPosition
         * @description Position in your editor. It has no effect.
         */
        DelayStepPosition: {
            x: number;
            y: number;
        };
        /** DelayUntil */
        DelayUntil: {
            until: components["schemas"]["DelayUntilUntil"];
        };
        /** DelayUntilUntil */
        DelayUntilUntil: {
            time: string;
            /** @description `contact` uses the timezone in the contact’s properties, or UTC. Otherwise an IANA time zone. */
            timezone: string;
            /** @description Whole days to wait before the time of day. */
            days?: number;
        };
        /** DisableInput */
        DisableInput: {
            /**
             * @description What to do with unfinished executions. By default, they continue.
             * @enum {string}
             */
            running?: "continue" | "cancel";
        } | null;
        /** DisabledWorkflow */
        DisabledWorkflow: {
            /** Format: uuid */
            id: string;
            slug: string;
            name: string;
            description: string | null;
            enabled: boolean;
            /** @description The newest version. New executions use it, running ones keep theirs. */
            version: number;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            stats: components["schemas"]["FlowStats"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the workflow was last pushed. Null: never.
             */
            pushedAt: string | null;
            scheduleFailure: components["schemas"]["ScheduleFailure"];
            triggerConfig: components["schemas"]["TriggerConfig"];
            steps: components["schemas"]["FlowStep"][];
            transitions: components["schemas"]["FlowTransition"][];
            settings: components["schemas"]["FlowSettings"];
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
            operation?: components["schemas"]["WorkflowOperation"];
        };
        /** DkimReport */
        DkimReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["DkimReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** DkimReportDetails */
        DkimReportDetails: {
            keys: components["schemas"]["DkimReportDetailsKeysItem"][];
            tried: string[];
        };
        /** DkimReportDetailsKeysItem */
        DkimReportDetailsKeysItem: {
            selector: string;
            name: string;
            record: string;
            keyType: string;
            /** @description Length of the key. Null if the key was revoked or cannot be read. */
            bits: number | null;
            isTesting: boolean;
            isRevoked: boolean;
        };
        /** DmarcRecordReport */
        DmarcRecordReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["DmarcRecordReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** DmarcRecordReportDetails */
        DmarcRecordReportDetails: {
            name: string;
            /** @enum {string} */
            type: "TXT";
            value: string;
        };
        /** DmarcReport */
        DmarcReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["DmarcReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** DmarcReportDetails */
        DmarcReportDetails: {
            record: string | null;
            /** @description The name that has it. */
            foundAt: string | null;
            /** @description By the public suffix list. */
            organizationalDomain: string | null;
            /** @enum {string|null} */
            effectivePolicy: "none" | "quarantine" | "reject" | null;
            /** @enum {string|null} */
            policy?: "none" | "quarantine" | "reject" | null;
            /** @enum {string|null} */
            subdomainPolicy?: "none" | "quarantine" | "reject" | null;
            percent?: number;
            /** @description `true` if the record has `t=y`. */
            isTesting?: boolean;
            /** @enum {string} */
            adkim?: "r" | "s";
            /** @enum {string} */
            aspf?: "r" | "s";
            rua?: string[];
            ruf?: string[];
        };
        /** DnsRecord */
        DnsRecord: {
            /** @enum {string} */
            purpose: "dkim" | "mail_from" | "dmarc";
            /** @enum {string} */
            type: "CNAME" | "MX" | "TXT";
            name: string;
            /** @description Value to set. For DMARC it is a suggestion. */
            value: string;
            /**
             * @description `unknown`: DNS did not answer in time.
             * @enum {string}
             */
            state: "found" | "missing" | "different" | "unknown";
            /** @description Values found instead. */
            found: string[];
        };
        /**
         * DraftedBatch
         * @description Any part of the body of `POST /v1/batch`. It is stored as it is and checked only when the batch is created.
         */
        DraftedBatch: {
            [key: string]: unknown;
        };
        /** DuplicateInput */
        DuplicateInput: {
            name?: string;
            slug?: string;
        } | null;
        /**
         * Duration
         * @description At most 366 days.
         */
        Duration: {
            amount: number;
            /** @enum {string} */
            unit: "minutes" | "hours" | "days" | "weeks";
        };
        /** Email */
        Email: {
            /** Format: uuid */
            id: string;
            /**
             * @description The statuses of logs, and `scheduled` and `cancelled`. `suppressed`: the address may not be mailed, see `reason`.
             * @enum {string}
             */
            status: "scheduled" | "cancelled" | "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
            /** @description Reason why it was not sent, of an open set. */
            reason: string | null;
            error: string | null;
            /** @description The provider’s message id. */
            messageId: string | null;
            /** @description Null if the person was erased. */
            to: string | null;
            from: string | null;
            replyTo: string | null;
            subject: string | null;
            /** Format: uuid */
            templateId: string | null;
            /** Format: uuid */
            cloudAccountId: string;
            tags: components["schemas"]["EmailTagsItem"][];
            /**
             * Format: date-time
             * @description Null once its time has come.
             */
            scheduledFor: string | null;
            /**
             * Format: date-time
             * @description Null if the body cannot be read.
             */
            bodyKeptUntil: string | null;
            waitingForOutcome: components["schemas"]["EmailWaitingForOutcome"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            sentAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
            /** Format: date-time */
            openedAt: string | null;
            /** Format: date-time */
            clickedAt: string | null;
            /** Format: date-time */
            bouncedAt: string | null;
            /** Format: date-time */
            complainedAt: string | null;
        };
        /** EmailAccepted */
        EmailAccepted: {
            /** Format: uuid */
            id: string;
            /**
             * @description The statuses of logs, and `scheduled` and `cancelled`. `suppressed`: the address may not be mailed, see `reason`.
             * @enum {string}
             */
            status: "scheduled" | "cancelled" | "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
        };
        /** EmailBatchInput */
        EmailBatchInput: {
            /** @description Each row is checked on its own. An invalid row is reported in `errorDetails`, and all other rows are accepted. */
            emails: components["schemas"]["EmailInput"][];
        };
        /** EmailBatchResult */
        EmailBatchResult: {
            /** @description `true` if every mail was accepted. */
            success: boolean;
            accepted: number;
            failed: number;
            results: components["schemas"]["EmailBatchRow"][];
            /** @description Messages of `errorDetails`, for people. */
            errors: string[];
            /** @description Refused rows, in the order of the request. */
            errorDetails: components["schemas"]["RowError"][];
        };
        /** EmailBatchRow */
        EmailBatchRow: {
            index: number;
            /** Format: uuid */
            id: string | null;
            /**
             * @description `refused`: no mail was created, see `error`.
             * @enum {string}
             */
            status: "scheduled" | "cancelled" | "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out" | "refused";
            error?: string;
        };
        /** EmailBody */
        EmailBody: {
            html: string | null;
            text: string | null;
            headers: components["schemas"]["EmailBodyHeaders"];
            attachments: components["schemas"]["EmailBodyAttachmentsItem"][];
        };
        /** EmailBodyAttachmentsItem */
        EmailBodyAttachmentsItem: {
            filename: string;
            contentType: string | null;
            contentId: string | null;
            bytes: number;
        };
        /** EmailBodyHeaders */
        EmailBodyHeaders: {
            [key: string]: string;
        };
        /**
         * EmailInput
         * @description Content is either `templateId` or `html`, `text` or both.
         */
        EmailInput: {
            /**
             * Format: email
             * @description One address. Send one mail for each recipient.
             */
            to: string;
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string;
            /** Format: email */
            replyTo?: string;
            /** @description Required unless the template has one. */
            subject?: string;
            /** @description Sent unchanged: `{{ … }}` in it is text. */
            html?: string;
            /** @description Absent: it is made from `html`. */
            text?: string;
            /** @description A published template of `emailType` `transactional`. */
            templateId?: string;
            variables?: components["schemas"]["EmailInputVariables"];
            headers?: components["schemas"]["EmailInputHeaders"];
            /** @description At most 10 MiB in all, decoded. */
            attachments?: components["schemas"]["EmailInputAttachmentsItem"][];
            /** @description The provider’s events return them. Do not use them for secrets or addresses. */
            tags?: components["schemas"]["EmailInputTagsItem"][];
            /**
             * Format: date-time
             * @description When to send it, at most 30 days ahead. A time that has just passed means at once.
             */
            scheduledFor?: string;
            /** @description `true`, the default: the body is stored encrypted and can be read for 7 days (`/v1/email/{id}/body`). `false`: it is deleted once the mail is sent. */
            retainBody?: boolean;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string;
        };
        /** EmailInputAttachmentsItem */
        EmailInputAttachmentsItem: {
            /** @description Name of the file, in any script. */
            filename: string;
            /** @description Absent: the type follows from the name. It may have parameters: the first `text/calendar` with a `method` is sent as an invitation, which calendars show (RFC 6047). */
            contentType?: string;
            /** @description The file is shown where the HTML has `cid:` and this name, and not listed. */
            contentId?: string;
            /** @description Base64. */
            content: string;
        };
        /**
         * EmailInputHeaders
         * @description Custom headers, such as `X-Order` or `In-Reply-To`. Headers that other fields, SES or we set are refused: `Content-*`, `List-*`, `Resent-*`, `X-SES-*`, `Date`, `Errors-To` and so on.
         */
        EmailInputHeaders: {
            [key: string]: string;
        };
        /** EmailInputTagsItem */
        EmailInputTagsItem: {
            name: string;
            value: string;
        };
        /**
         * EmailInputVariables
         * @description Values of the template’s variables.
         */
        EmailInputVariables: {
            [key: string]: unknown;
        };
        /** EmailLog */
        EmailLog: {
            /** Format: uuid */
            id: string;
            /** @description The provider’s message id. */
            messageId: string | null;
            /** @enum {string} */
            status: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
            recipient: string | null;
            subject: string | null;
            from: string | null;
            /** @enum {string} */
            sourceType: "batch" | "workflow" | "transactional" | "confirmation" | "external";
            /** Format: uuid */
            batchId: string | null;
            /** Format: uuid */
            executionId: string | null;
            /** Format: uuid */
            templateId: string | null;
            /** @description Variant of the batch’s A/B test. */
            variant: string | null;
            /** Format: uuid */
            cloudAccountId: string;
            region: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            sentAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
            /**
             * Format: date-time
             * @description First open by a person or a bot.
             */
            openedAt: string | null;
            /**
             * Format: date-time
             * @description First open by a person. Known bots are not counted. A click counts as an open, without `openedAt`.
             */
            humanOpenedAt: string | null;
            /**
             * Format: date-time
             * @description First click by a person or a bot. Links to our own pages are not counted.
             */
            clickedAt: string | null;
            /**
             * Format: date-time
             * @description First click by a person. Known bots are not counted.
             */
            humanClickedAt: string | null;
            /**
             * Format: date-time
             * @description When a link of this mail unsubscribed the recipient.
             */
            unsubscribedAt: string | null;
            /** Format: date-time */
            bouncedAt: string | null;
            bounceType: string | null;
            bounceSubType: string | null;
            /** Format: date-time */
            complainedAt: string | null;
            error: string | null;
        };
        /** EmailLogContent */
        EmailLogContent: {
            subject: string;
            html: string | null;
            text: string | null;
            /**
             * @description `kept` is the content that was sent. Mail of batches is rendered again from the version that was sent, with the contact’s present data.
             * @enum {string}
             */
            origin: "kept" | "rendered_again";
        } | null;
        /** EmailLogDetail */
        EmailLogDetail: {
            /** Format: uuid */
            id: string;
            /** @description The provider’s message id. */
            messageId: string | null;
            /** @enum {string} */
            status: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
            recipient: string | null;
            subject: string | null;
            from: string | null;
            /** @enum {string} */
            sourceType: "batch" | "workflow" | "transactional" | "confirmation" | "external";
            /** Format: uuid */
            batchId: string | null;
            /** Format: uuid */
            executionId: string | null;
            /** Format: uuid */
            templateId: string | null;
            /** @description Variant of the batch’s A/B test. */
            variant: string | null;
            /** Format: uuid */
            cloudAccountId: string;
            region: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            sentAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
            /**
             * Format: date-time
             * @description First open by a person or a bot.
             */
            openedAt: string | null;
            /**
             * Format: date-time
             * @description First open by a person. Known bots are not counted. A click counts as an open, without `openedAt`.
             */
            humanOpenedAt: string | null;
            /**
             * Format: date-time
             * @description First click by a person or a bot. Links to our own pages are not counted.
             */
            clickedAt: string | null;
            /**
             * Format: date-time
             * @description First click by a person. Known bots are not counted.
             */
            humanClickedAt: string | null;
            /**
             * Format: date-time
             * @description When a link of this mail unsubscribed the recipient.
             */
            unsubscribedAt: string | null;
            /** Format: date-time */
            bouncedAt: string | null;
            bounceType: string | null;
            bounceSubType: string | null;
            /** Format: date-time */
            complainedAt: string | null;
            error: string | null;
            events: components["schemas"]["EmailLogEvent"][];
            /** @description `true` if there are more events than the first 1,000. */
            eventsTruncated: boolean;
            content: components["schemas"]["EmailLogContent"];
            /**
             * @description Why there is no content: the scope `full` is required; the mail was not sent; it is another program’s; its content is no longer stored, or was not to be stored; its contact was deleted or erased; it cannot be rendered with the contact’s present data; or the rendering took too long (try again).
             * @enum {string|null}
             */
            contentMissing: "scope" | "not_sent" | "not_ours" | "not_kept" | "contact_gone" | "render_failed" | "busy" | null;
        };
        /** EmailLogEvent */
        EmailLogEvent: {
            /** @enum {string} */
            type: "send" | "delivery" | "delivery_delay" | "bounce" | "complaint" | "reject" | "open" | "click" | "rendering_failure";
            /** Format: date-time */
            occurredAt: string;
            data: components["schemas"]["EmailLogEventData"];
        };
        /** EmailLogEventData */
        EmailLogEventData: {
            [key: string]: unknown;
        };
        /** EmailLogList */
        EmailLogList: {
            logs: components["schemas"]["EmailLog"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** EmailMetrics */
        EmailMetrics: {
            /** @constant */
            object: "metrics";
            totals: components["schemas"]["EmailMetricsTotals"];
            /** @description One row for each combination of dimension values that has mails. Empty if no dimensions were requested. */
            data: components["schemas"]["MetricsRow"][];
            meta: components["schemas"]["EmailMetricsMeta"];
        };
        /** EmailMetricsMeta */
        EmailMetricsMeta: {
            /**
             * Format: date-time
             * @description Start of the range, inclusive. A whole quarter of an hour.
             */
            start: string;
            /**
             * Format: date-time
             * @description End of the range, exclusive. A whole quarter of an hour.
             */
            end: string;
            timezone: string;
            /** @enum {string} */
            granularity: "hourly" | "daily" | "weekly" | "monthly";
            dimensions: ("period" | "domain" | "broadcast" | "template" | "source" | "account" | "region")[];
            /** @description Version of the current list of bots. */
            botListVersion: number;
        };
        /** EmailMetricsTotals */
        EmailMetricsTotals: {
            sent: number;
            delivered: number;
            /** @description Mails that did not arrive, the sum of the three counts below. Automatic replies are not included. */
            bounced: number;
            bouncedPermanent: number;
            /** @description Transient bounces, including automatic replies. Mails that were delivered all the same are not counted in `bounced`. */
            bouncedTransient: number;
            bouncedUndetermined: number;
            complained: number;
            /** @description Mails that the provider’s suppression list stopped. */
            suppressed: number;
            /** @description Mails opened by people: without known bots, and including mails in which a person clicked a link. */
            opened: number;
            /** @description All opened mails, including those opened by bots. */
            openedRaw: number;
            clicked: number;
            /** @description Mails whose link unsubscribed the recipient. Counts mails of batches and workflows, each mail once. */
            unsubscribed: number;
            /** @description Mails that the provider accepted and refused later. */
            failed: number;
            /** @description Estimated cost from published prices of sending, by the plan of each account. Mails of a UTC month cost its average, which changes while the month grows. Null if the price of some of the mails is unknown. */
            costUsd: number | null;
        };
        /** EmailPatch */
        EmailPatch: {
            /**
             * Format: date-time
             * @description When to send it, at most 30 days ahead. A time that has just passed means at once.
             */
            scheduledFor: string;
        };
        /** EmailReport */
        EmailReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["EmailReportFindingsItem"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["EmailReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** EmailReportDetails */
        EmailReportDetails: {
            /** @description Null if too little is known for a grade. */
            score: number | null;
            /** @enum {string|null} */
            grade: "A" | "B" | "C" | "D" | "F" | null;
            checks: components["schemas"]["EmailReportDetailsChecks"];
        };
        /** EmailReportDetailsChecks */
        EmailReportDetailsChecks: {
            dmarc: components["schemas"]["ToolCheck"];
            spf: components["schemas"]["ToolCheck"];
            dkim: components["schemas"]["ToolCheck"];
            mx: components["schemas"]["ToolCheck"];
            blocklists: components["schemas"]["ToolCheck"];
            reverseDns: components["schemas"]["ToolCheck"];
            mtaSts: components["schemas"]["ToolCheck"];
            tlsRpt: components["schemas"]["ToolCheck"];
            bimi: components["schemas"]["ToolCheck"];
        };
        /** EmailReportFindingsItem */
        EmailReportFindingsItem: {
            /** @description A stable snake_case word. New ones may be added. */
            code: string;
            /**
             * @description `info` does not change the verdict.
             * @enum {string}
             */
            severity: "pass" | "warning" | "fail" | "unknown" | "info";
            message: string;
            /** @description The next step, in one sentence. Null if there is nothing to do. */
            fix: string | null;
            /** @enum {string} */
            check: "dmarc" | "spf" | "dkim" | "mx" | "blocklists" | "reverseDns" | "mtaSts" | "tlsRpt" | "bimi";
        };
        /** EmailTagsItem */
        EmailTagsItem: {
            name: string;
            value: string;
        };
        /**
         * EmailWaitingForOutcome
         * @description The call was interrupted: the provider may have accepted the mail. The provider’s events, or their proven absence, decide.
         */
        EmailWaitingForOutcome: {
            /** Format: date-time */
            since: string;
        } | null;
        /** EndedSessions */
        EndedSessions: {
            /** @constant */
            success: true;
            ended: number;
        };
        /** Erasure */
        Erasure: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            contactId: string;
            /**
             * @description The contact is deleted as soon as the erasure is accepted. The status is `completed` when all other data is erased.
             * @enum {string}
             */
            status: "running" | "completed";
            /** @description Number of emptied email logs so far. */
            mails: number;
            /** Format: date-time */
            requestedAt: string;
            /** Format: date-time */
            completedAt: string | null;
        };
        /** EventAccepted */
        EventAccepted: {
            /** @constant */
            success: true;
            /** @description Your event id, or one that was generated. */
            eventId: string;
            /** @description `true` if the event was received before. Nothing was done. */
            duplicate: boolean;
            contactCreated: boolean;
            /** @description Executions started by the event. */
            workflowsTriggered: number;
            /** @description Executions that waited for the event. */
            executionsResumed: number;
        };
        /** EventBatchInput */
        EventBatchInput: {
            /** @description Each row is checked on its own. An invalid row is reported in `errorDetails`, and all other rows are accepted. */
            events: components["schemas"]["EventInput"][];
        };
        /** EventBatchResult */
        EventBatchResult: {
            /** @description `true` if no event failed. */
            success: boolean;
            /** @description Stored events. */
            processed: number;
            /** @description Events that were received before. */
            duplicates: number;
            workflowsTriggered: number;
            executionsResumed: number;
            /** @description Messages of `errorDetails`, for people. */
            errors: string[];
            /** @description Refused rows, in the order of the request. */
            errorDetails: components["schemas"]["RowError"][];
        };
        /** EventEnvelope */
        EventEnvelope: {
            id: string;
            account: string;
            region: string;
            detail: components["schemas"]["EventEnvelopeDetail"];
        } & {
            [key: string]: unknown;
        };
        /** EventEnvelopeDetail */
        EventEnvelopeDetail: {
            [key: string]: unknown;
        };
        /**
         * EventInput
         * @description One of `contactId`, `contactExternalId` and `contactEmail` is required. They are tried in this order. An address never matches a contact with another external id. A contact without an external id or an address gets the one in the event, unless another contact has it.
         */
        EventInput: {
            /** @description Name of the event: `order_placed`. */
            name: string;
            /**
             * Format: uuid
             * @description Contact of the event, by its id.
             */
            contactId?: string;
            /** @description Contact of the event, by your external id. */
            contactExternalId?: string;
            /**
             * Format: email
             * @description Contact of the event, by its email address.
             */
            contactEmail?: string;
            /** @description Set to `true` to create a missing contact with `contactEmail`, `contactExternalId` and `contactName`. A contact who unsubscribed stays unsubscribed: the suppression list decides the status. */
            createIfMissing?: boolean;
            /** @description Name of a created contact. The first word is the first name. */
            contactName?: string;
            properties?: components["schemas"]["EventInputProperties"];
            /**
             * Format: date-time
             * @description When the event occurred, at most 5 minutes ahead. Defaults to now. Events older than 72 hours are stored, but start and resume nothing. Events from before an execution began neither resume nor end it.
             */
            occurredAt?: string;
            /** @description Your own id of the event. A repeated id with the same `name` and contact within 7 days is accepted and ignored, and creates no contact. */
            eventId?: string;
        };
        /**
         * EventInputProperties
         * @description At most 32,768 characters as JSON, nested at most 8 levels deep. A null value removes the key.
         */
        EventInputProperties: {
            [key: string]: unknown;
        };
        /**
         * EventLimitExceeded
         * @description Too many requests, or the monthly event limit is used up; see Retry-After
         */
        EventLimitExceeded: {
            /** @description `event_limit_exceeded`, or the message of the rate limit. */
            error: string;
            /**
             * @description Stable error code for programs.
             * @enum {string}
             */
            code: "BAD_REQUEST" | "CONFLICT" | "FORBIDDEN" | "INTERNAL_ERROR" | "MALFORMED_REQUEST" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "PAYMENT_REQUIRED" | "RATE_LIMITED" | "REQUEST_FAILED" | "UNAUTHORIZED" | "VALIDATION_FAILED";
            /** @description Equals the `x-request-id` header. Include it when you contact support. */
            requestId?: string;
            /** @description A stable snake_case word that is more specific than the code. */
            reason?: string;
            details?: components["schemas"]["EventLimitExceededDetailsItem"][];
            message?: string;
            /** @description Events accepted this month. */
            current?: number;
            /** @description Monthly limit of events. 25 % more are accepted. */
            limit?: number;
            /** @description Events of this request, without duplicates and failures. */
            requested?: number;
            percentUsed?: number;
            /** Format: date-time */
            resetsAt?: string;
        };
        /** EventLimitExceededDetailsItem */
        EventLimitExceededDetailsItem: {
            /** @description Path of the invalid input: `steps[0].config.url`. */
            path: string;
            message: string;
            contactId?: string;
        };
        /** EventName */
        EventName: {
            name: string;
            /** Format: date-time */
            firstReceivedAt: string;
            /**
             * Format: date-time
             * @description Time of the last event, to the hour.
             */
            lastReceivedAt: string;
        };
        /** EventNameList */
        EventNameList: {
            data: components["schemas"]["EventName"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** Execution */
        Execution: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workflowId: string;
            workflowName: string;
            /** @description Version of the workflow that the execution runs. Later versions do not change it. */
            workflowVersion: number;
            /** Format: uuid */
            contactId: string;
            /**
             * @description `paused`: in a delay. `waiting`: for an event.
             * @enum {string}
             */
            status: "pending" | "active" | "paused" | "waiting" | "completed" | "failed" | "cancelled";
            /** @description Why the execution ended: a stable snake_case word, or the reason of its exit step. */
            reason: string | null;
            error: string | null;
            /** @description Increased by each retry. */
            attempt: number;
            /** @description The current step. For a failed execution, the step that failed. */
            currentStepId: string | null;
            /**
             * Format: uuid
             * @description Topic whose subscription started the execution.
             */
            topicId: string | null;
            /**
             * Format: uuid
             * @description Event that started the execution.
             */
            eventId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
        };
        /** ExecutionCancelled */
        ExecutionCancelled: {
            /** @constant */
            success: true;
            /** Format: uuid */
            executionId: string;
            /** @constant */
            status: "cancelled";
        };
        /** ExecutionDetail */
        ExecutionDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workflowId: string;
            workflowName: string;
            /** @description Version of the workflow that the execution runs. Later versions do not change it. */
            workflowVersion: number;
            /** Format: uuid */
            contactId: string;
            /**
             * @description `paused`: in a delay. `waiting`: for an event.
             * @enum {string}
             */
            status: "pending" | "active" | "paused" | "waiting" | "completed" | "failed" | "cancelled";
            /** @description Why the execution ended: a stable snake_case word, or the reason of its exit step. */
            reason: string | null;
            error: string | null;
            /** @description Increased by each retry. */
            attempt: number;
            /** @description The current step. For a failed execution, the step that failed. */
            currentStepId: string | null;
            /**
             * Format: uuid
             * @description Topic whose subscription started the execution.
             */
            topicId: string | null;
            /**
             * Format: uuid
             * @description Event that started the execution.
             */
            eventId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            data: components["schemas"]["ExecutionDetailData"];
            /** @description Number of all visits of steps. */
            stepCount: number;
            /** @description Visits of steps in order. If there are more than 1,000, the last ones. */
            steps: components["schemas"]["ExecutionStep"][];
        };
        /**
         * ExecutionDetailData
         * @description `trigger.data` of the execution.
         */
        ExecutionDetailData: {
            [key: string]: unknown;
        };
        /** ExecutionList */
        ExecutionList: {
            data: components["schemas"]["Execution"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** ExecutionRetried */
        ExecutionRetried: {
            /** @constant */
            success: true;
            /** Format: uuid */
            executionId: string;
            /** @constant */
            status: "pending";
        };
        /** ExecutionStep */
        ExecutionStep: {
            /** @description Id of this visit of the step. */
            id: string;
            stepId: string;
            name: string;
            type: string;
            /** @enum {string} */
            status: "pending" | "executing" | "completed" | "failed" | "skipped";
            /** @description How often the execution has reached this step. */
            visit: number;
            /** @description Increased by each retry of a failed step. */
            try: number;
            branch: string | null;
            /** @description Result of the step, by its type. Null if there is none, or if the version of the execution no longer has the step. */
            result: unknown;
            /** @description Why the step was skipped or failed. */
            reason: string | null;
            error: string | null;
            /**
             * Format: date-time
             * @description When the delay or timeout of a waiting step ends. Null if it does not wait, or if no end is known.
             */
            dueAt: string | null;
            /** @description Calls that the present try of an executing webhook step has begun. At most eight, unless a worker was lost during one. 0 if it waits for a free slot, or if the step is over. */
            calls: number;
            /** @description Why the last finished call of an executing webhook step did not succeed. It contains no address, headers or response. */
            lastError: string | null;
            /**
             * Format: date-time
             * @description When an executing webhook step is called again. If this time has passed, the step waits for a free slot or a worker. Null if a call is running, or if none has failed.
             */
            nextTryAt: string | null;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            finishedAt: string | null;
        };
        /**
         * ExitStep
         * @description Ends the execution. No step can follow it.
         */
        ExitStep: {
            id: string;
            /** @constant */
            type: "exit";
            name: string;
            config: components["schemas"]["ExitStepConfig"];
            position?: components["schemas"]["ExitStepPosition"];
        };
        /** ExitStepConfig */
        ExitStepConfig: {
            /** @enum {string} */
            outcome: "completed" | "cancelled" | "failed";
            reason?: string;
        };
        /**
         * ExitStepPosition
         * @description Position in your editor. It has no effect.
         */
        ExitStepPosition: {
            x: number;
            y: number;
        };
        /** Filter */
        Filter: {
            /** @description A field of the contact (`firstName`, `emailStatus`, `createdAt` …), `properties.<key>`, `topics`, `event.<name>`, or `bucket`. Conditions of workflows can also use `trigger.data.<path>` and `event.properties.<path>`. */
            field: string;
            /** @enum {string} */
            operator: "equals" | "notEquals" | "contains" | "notContains" | "startsWith" | "endsWith" | "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual" | "exists" | "notExists" | "inList" | "notInList" | "within" | "notWithin" | "withinNext" | "triggered" | "notTriggered" | "triggeredWithin" | "notTriggeredWithin" | "triggeredAtLeast" | "hasTopic" | "notHasTopic" | "inBucket";
            /** @description The value to compare with. `greaterThan` and similar operators accept `now` for the present time. For `triggered` and `notTriggered` the value is optional, an object: `atLeast`, `atMost` and `exactly` set how many events are needed, `within` sets how many units ago they may have occurred, and `where` is a list of filters of the event’s own `properties.<key>`. */
            value?: unknown;
            /**
             * @description Unit of `within`, `notWithin`, `withinNext`, `triggeredWithin` and `notTriggeredWithin`.
             * @enum {string}
             */
            unit?: "minutes" | "hours" | "days";
        };
        /** FlowSettings */
        FlowSettings: {
            /** @description If `false`, a contact enters only once. */
            allowReentry: boolean;
            /** @description Minimum time since the contact’s last start. */
            reentryDelaySeconds: number;
            /** @description Limit of unfinished executions of all contacts. Null: unlimited. */
            maxConcurrentExecutions: number | null;
            /** @description Minimum time since the contact’s last end. */
            contactCooldownSeconds: number;
            exitOn: components["schemas"]["FlowSettingsExitOn"];
        };
        /**
         * FlowSettingsExitOn
         * @description What ends executions: events at once, conditions when they reach a step.
         */
        FlowSettingsExitOn: {
            events?: string[];
            condition?: components["schemas"]["Condition"];
        };
        /** FlowSettingsInput */
        FlowSettingsInput: {
            /** @description If `false`, a contact enters only once. */
            allowReentry?: boolean;
            /** @description Minimum time since the contact’s last start. */
            reentryDelaySeconds?: number;
            /** @description Limit of unfinished executions of all contacts. Null: unlimited. */
            maxConcurrentExecutions?: number | null;
            /** @description Minimum time since the contact’s last end. */
            contactCooldownSeconds?: number;
            exitOn?: components["schemas"]["FlowSettingsInputExitOn"];
        };
        /**
         * FlowSettingsInputExitOn
         * @description What ends executions: events at once, conditions when they reach a step.
         */
        FlowSettingsInputExitOn: {
            events?: string[];
            condition?: components["schemas"]["Condition"];
        };
        /** FlowStats */
        FlowStats: {
            started: number;
            completed: number;
            failed: number;
            cancelled: number;
            /** @description Not admitted, or above `maxConcurrentExecutions`. */
            dropped: number;
            /** @description Unfinished executions. */
            live: number;
        };
        /** FlowStep */
        FlowStep: components["schemas"]["SendEmailStep"] | components["schemas"]["SendSmsStep"] | components["schemas"]["DelayStep"] | components["schemas"]["ConditionStep"] | components["schemas"]["SplitStep"] | components["schemas"]["WaitForEventStep"] | components["schemas"]["WaitForEmailEngagementStep"] | components["schemas"]["UpdateContactStep"] | components["schemas"]["SubscribeTopicStep"] | components["schemas"]["UnsubscribeTopicStep"] | components["schemas"]["WebhookStep"] | components["schemas"]["ExitStep"];
        /** FlowTransition */
        FlowTransition: {
            from: string;
            to: string;
            branch?: string;
        };
        /**
         * FlowTransitionInput
         * @description `from` is a step or `trigger`. Without a transition from the trigger, the first step of the list comes first. Transitions of a step with branches must name a branch. Without a next step, the execution is completed.
         */
        FlowTransitionInput: {
            from?: string;
            /** @description Alias of `from`. */
            fromStepId?: string;
            to?: string;
            /** @description Alias of `to`. */
            toStepId?: string;
            branch?: string;
            /** @description Alias of `branch`. */
            condition?: string | components["schemas"]["BranchCondition"];
            /** @description Ignored. */
            id?: unknown;
        };
        /** GenerateDmarcInput */
        GenerateDmarcInput: {
            domain: string;
            /**
             * @description Policy for mail that fails the check.
             * @enum {string}
             */
            policy: "none" | "quarantine" | "reject";
            /** @enum {string} */
            subdomainPolicy?: "none" | "quarantine" | "reject";
            aggregateReports?: string[];
            failureReports?: string[];
            /** @description `true` if the signing domain must equal the domain in From. */
            strictDkim?: boolean;
            /** @description `true` if the domain of the return path must equal the domain in From. */
            strictSpf?: boolean;
        };
        /** GetConnectionSetupAnswer */
        GetConnectionSetupAnswer: {
            [key: string]: unknown;
        };
        /** HeaderReport */
        HeaderReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["HeaderReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** HeaderReportDetails */
        HeaderReportDetails: {
            from: string | null;
            returnPath: string | null;
            messageId: string | null;
            date: string | null;
            /** @description Servers that the mail passed, in order. */
            hops: components["schemas"]["HeaderReportDetailsHopsItem"][];
            /** @description Results recorded by the receiving server. */
            authentication: components["schemas"]["HeaderReportDetailsAuthenticationItem"][];
            signatures: components["schemas"]["HeaderReportDetailsSignaturesItem"][];
            fields: number;
        };
        /** HeaderReportDetailsAuthenticationItem */
        HeaderReportDetailsAuthenticationItem: {
            server: string;
            method: string;
            result: string;
            /** @description Whose mail it is by this method; null: it does not say. */
            domain: string | null;
        };
        /** HeaderReportDetailsHopsItem */
        HeaderReportDetailsHopsItem: {
            from: string | null;
            by: string | null;
            at: string | null;
            delaySeconds: number | null;
            isEncrypted: boolean;
        };
        /** HeaderReportDetailsSignaturesItem */
        HeaderReportDetailsSignaturesItem: {
            domain: string;
            selector: string;
            algorithm: string;
            /** @description Covered header fields, in lower case. */
            covers: string[];
            /** @description `true` if the domain belongs to the organization of the From address. */
            isAligned: boolean;
        };
        /** Health */
        Health: {
            status: string;
            /** Format: date-time */
            timestamp: string;
            version: string;
        };
        /** Import */
        Import: {
            /** Format: uuid */
            id: string;
            /**
             * @description `receiving`: the file is being uploaded. `aborted`: the upload was interrupted, and nothing was changed.
             * @enum {string}
             */
            status: "receiving" | "pending" | "running" | "completed" | "failed" | "cancelled" | "aborted";
            /** @enum {string} */
            format: "csv" | "ndjson";
            /** @enum {string} */
            onDuplicate: "update" | "skip";
            dryRun: boolean;
            /** @description Received rows. */
            rows: number;
            created: number;
            /** @description Contacts that existed, including those without a change. */
            updated: number;
            /** @description Contacts that existed and were skipped by `onDuplicate=skip`. */
            skipped: number;
            /** @description Rows listed in the error report. */
            failed: number;
            /** @description Contacts who unsubscribed and were not resubscribed, although the row said `active`. */
            emailStatusKept: number;
            /** @description Rows that were imported without their phone number, because it is invalid. They are listed in the error report, too, and not counted in `failed`. */
            phonesLeftOut: number;
            /** @description Why the import was aborted or failed. */
            error: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
        };
        /** ImportAccepted */
        ImportAccepted: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "receiving" | "pending" | "running" | "completed" | "failed" | "cancelled" | "aborted";
        };
        /** ImportList */
        ImportList: {
            data: components["schemas"]["Import"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** Invitation */
        Invitation: {
            /** Format: uuid */
            id: string;
            email: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
            /** @description Name in the invitation. It is not taken from an account. */
            name: string | null;
            /**
             * Format: uuid
             * @description Id of the member who sent the invitation. Null if the operator did.
             */
            invitedBy: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the newest link expires.
             */
            expiresAt: string;
        };
        /** InvitationList */
        InvitationList: {
            data: components["schemas"]["Invitation"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** LinkClick */
        LinkClick: {
            /**
             * Format: uuid
             * @description Hash of the link.
             */
            id: string;
            /** @description The link as it was in the mails. Null for all links beyond the first 1,000 of a batch, or of a day’s single mail of a template. */
            url: string | null;
            clicks: number;
            /** @description Mails in which the link was clicked at least once. For several links, the sum. */
            recipients: number;
            /** Format: date-time */
            firstClickedAt: string;
            /** Format: date-time */
            lastClickedAt: string;
        };
        /** LinkClickList */
        LinkClickList: {
            data: components["schemas"]["LinkClick"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** Login */
        Login: {
            /** @description Token for the Authorization header. It is returned only once. */
            token: string;
            /**
             * Format: date-time
             * @description When the session expires. It expires earlier if it is not used for 14 days.
             */
            expiresAt: string;
            /**
             * Format: uuid
             * @description Organization of the session.
             */
            organizationId: string;
            user: components["schemas"]["LoginUser"];
            organizations: components["schemas"]["LoginOrganizationsItem"][];
        };
        /** LoginInput */
        LoginInput: {
            /** Format: email */
            email: string;
            password: string;
            /**
             * Format: uuid
             * @description Organization of the session. Defaults to the one that you joined first.
             */
            organizationId?: string;
        };
        /** LoginOrganizationsItem */
        LoginOrganizationsItem: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        /** LoginUser */
        LoginUser: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
        };
        /** MailCheck */
        MailCheck: {
            /** @enum {string} */
            code: "blank_subject" | "link_without_address" | "relative_link" | "local_link" | "unusable_link" | "no_unsubscribe_link" | "image_without_alt" | "unusable_image" | "embedded_images" | "many_images" | "mostly_images" | "no_text_part" | "clipped";
            /**
             * @description `info`: corrected automatically.
             * @enum {string}
             */
            severity: "warning" | "info";
            /** @enum {string} */
            part: "subject" | "html" | "text";
            /** @description The problem, and how to fix it. */
            message: string;
        };
        /** Member */
        Member: {
            /**
             * Format: uuid
             * @description Id of the person.
             */
            id: string;
            email: string;
            /** @description Name of the person. For a person who was added without an invitation, the name that the organization gave them, until they log in to it. */
            name: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
            /**
             * Format: date-time
             * @description When the person became a member.
             */
            createdAt: string;
        };
        /** MemberInput */
        MemberInput: {
            /** Format: email */
            email: string;
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
            /** @description Suggested name for a person who is new to Letterloom. Defaults to the address. */
            name?: string;
        };
        /** MemberList */
        MemberList: {
            data: components["schemas"]["Member"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** MemberPatch */
        MemberPatch: {
            /** @enum {string} */
            role: "viewer" | "member" | "admin" | "owner";
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            email?: unknown;
            /** @description Ignored. */
            name?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
        };
        /** MetricsRow */
        MetricsRow: {
            /** @description Start of the period: `2026-11-21T10:00:00`, `2026-11-21` (for a week, its Monday) or `2026-11`. */
            period?: string;
            /** @description Domain of the sender address. Null if unknown. */
            domain?: string | null;
            /**
             * Format: uuid
             * @description Id of the batch.
             */
            broadcastId?: string | null;
            /** Format: uuid */
            templateId?: string | null;
            /** @description Source of the mail. `external` is mail that other programs sent through a connected account. It is counted by source only and has no cost here. */
            source?: string;
            /** Format: uuid */
            cloudAccountId?: string;
            region?: string | null;
            sent: number;
            delivered: number;
            /** @description Mails that did not arrive, the sum of the three counts below. Automatic replies are not included. */
            bounced: number;
            bouncedPermanent: number;
            /** @description Transient bounces, including automatic replies. Mails that were delivered all the same are not counted in `bounced`. */
            bouncedTransient: number;
            bouncedUndetermined: number;
            complained: number;
            /** @description Mails that the provider’s suppression list stopped. */
            suppressed: number;
            /** @description Mails opened by people: without known bots, and including mails in which a person clicked a link. */
            opened: number;
            /** @description All opened mails, including those opened by bots. */
            openedRaw: number;
            clicked: number;
            /** @description Mails whose link unsubscribed the recipient. Counts mails of batches and workflows, each mail once. */
            unsubscribed: number;
            /** @description Mails that the provider accepted and refused later. */
            failed: number;
            /** @description Estimated cost from published prices of sending, by the plan of each account. Mails of a UTC month cost its average, which changes while the month grows. Null if the price of some of the mails is unknown. */
            costUsd: number | null;
        };
        /** MtaStsReport */
        MtaStsReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["MtaStsReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** MtaStsReportDetails */
        MtaStsReportDetails: {
            record: string | null;
            id: string | null;
            policyUrl: string;
            /** @enum {string|null} */
            mode: "enforce" | "testing" | "none" | null;
            maxAgeSeconds: number | null;
            mx: string[];
        };
        /** MxReport */
        MxReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["MxReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** MxReportDetails */
        MxReportDetails: {
            hosts: components["schemas"]["MxReportDetailsHostsItem"][];
            /** @description `true` if the domain declares that it accepts no mail (RFC 7505). */
            isNull: boolean;
        };
        /** MxReportDetailsHostsItem */
        MxReportDetailsHostsItem: {
            host: string;
            priority: number;
            /** @description Addresses of the host. Null if they were not looked up. */
            addresses: string[] | null;
        };
        /** NewApiKey */
        NewApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first 12 characters of the key. */
            prefix: string;
            scopes: ("read" | "contacts" | "events" | "send" | "full")[];
            /** Format: date-time */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute.
             */
            lastUsedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /** @description The key. It is returned only once, and is null in a replayed response. */
            key: string | null;
        };
        /** NewWebhookEndpoint */
        NewWebhookEndpoint: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            eventTypes: ("contact.created" | "contact.updated" | "contact.deleted" | "contact.unsubscribed" | "topic.subscribed" | "topic.unsubscribed" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.suppressed" | "email.failed" | "batch.completed" | "batch.failed" | "batch.paused" | "batch.cancelled" | "execution.completed" | "execution.failed")[];
            sources: ("batch" | "workflow" | "transactional" | "confirmation")[] | null;
            /** @description Calls that may be under way at once. With 1, events arrive mostly in order, but a retry comes later than its successors. */
            maxInFlight: number;
            enabled: boolean;
            /** @description `requested`: disabled by a caller. `failing`: no call succeeded for 72 hours. `gone`: it answered 410. */
            disabledReason: string | null;
            /** Format: date-time */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description Time of the first failed call since the last one that succeeded.
             */
            failingSince: string | null;
            /** Format: date-time */
            lastSuccessAt: string | null;
            /**
             * Format: date-time
             * @description While calls keep failing, the endpoint is not called before this time.
             */
            nextTryAt: string | null;
            /** @description Deliveries that wait, counted up to 10,000. */
            pending: number;
            last24Hours: components["schemas"]["NewWebhookEndpointLast24Hours"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Verifies the signature of each call (Standard Webhooks). It is returned only once, and is null in a replayed response. */
            secret: string | null;
        };
        /** NewWebhookEndpointLast24Hours */
        NewWebhookEndpointLast24Hours: {
            delivered: number;
            failedCalls: number;
        };
        /** Organization */
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            plan: "free" | "starter" | "growth" | "scale" | "enterprise";
            limits: components["schemas"]["OrganizationLimits"];
            usage: components["schemas"]["OrganizationUsage"];
            branding: components["schemas"]["OrganizationBranding"];
            /** @description Scopes of the credentials of this request. */
            scopes: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /**
         * OrganizationBranding
         * @description Appearance and texts of mails and of the pages where people unsubscribe, confirm and choose topics.
         */
        OrganizationBranding: {
            /** @description Color of buttons and links. Links in mails are darkened if they would not be readable on white. Null for the default. */
            accentColor: string | null;
            /** @description Color around the text. Null for the default. */
            backgroundColor: string | null;
            /**
             * @description Language of public pages, confirmation emails and the links at the end of marketing mail.
             * @enum {string}
             */
            language: "en" | "de" | "fr" | "es";
            /** @description Postal address in every marketing mail, at the place of `{{ organization.postalAddress }}` or at the end. Lines are separated by line feeds. */
            postalAddress: string | null;
            texts: components["schemas"]["OrganizationBrandingTexts"];
        };
        /**
         * OrganizationBrandingTexts
         * @description Your own texts by name. They replace the default texts.
         */
        OrganizationBrandingTexts: {
            [key: string]: string;
        };
        /** OrganizationHealth */
        OrganizationHealth: {
            /**
             * @description The worst status of all accounts. `unknown` if there are none.
             * @enum {string}
             */
            status: "healthy" | "unknown" | "at_risk" | "in_danger";
            /** Format: date-time */
            checkedAt: string | null;
            accounts: components["schemas"]["AccountHealth"][];
        };
        /** OrganizationLimits */
        OrganizationLimits: {
            requestsPerMinute: number;
            requestsPerDay: number;
            /** @description Null: unlimited. */
            eventsPerMonth: number | null;
            /** @description Null: unlimited. */
            connections: number | null;
            /** @description Null: unlimited. */
            workflows: number | null;
            /** @description Limit of stored bytes. Above it, templates, batches, single mail and imports are refused with 402, and mailing steps of workflows fail with `plan_limit`. Null: unlimited. */
            storedBytes: number | null;
        };
        /** OrganizationPatch */
        OrganizationPatch: {
            name?: string;
            branding?: components["schemas"]["OrganizationPatchBranding"];
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            plan?: unknown;
            /** @description Ignored. */
            limits?: unknown;
            /** @description Ignored. */
            usage?: unknown;
            /** @description Ignored. */
            scopes?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
        } | {
            name: string;
        } | {
            branding: components["schemas"]["OrganizationPatchBranding"];
        };
        /** OrganizationPatchBranding */
        OrganizationPatchBranding: {
            /** @description Color of buttons and links. Links in mails are darkened if they would not be readable on white. Null for the default. */
            accentColor?: string | null;
            /** @description Color around the text. Null for the default. */
            backgroundColor?: string | null;
            /**
             * @description Language of public pages, confirmation emails and the links at the end of marketing mail.
             * @enum {string}
             */
            language?: "en" | "de" | "fr" | "es";
            /** @description Postal address in every marketing mail, at the place of `{{ organization.postalAddress }}` or at the end. Lines are separated by line feeds. */
            postalAddress?: string | null;
            texts?: components["schemas"]["OrganizationPatchBrandingTexts"];
        };
        /** OrganizationPatchBrandingTexts */
        OrganizationPatchBrandingTexts: {
            /** @description Null for the default, in English “Unsubscribe” */
            "footer.unsubscribe"?: string | null;
            /** @description Null for the default, in English “Preferences” */
            "footer.preferences"?: string | null;
            /** @description Null for the default, in English “Please confirm: {topic}” */
            "confirmation.subject"?: string | null;
            /** @description Null for the default, in English “Reminder: please confirm: {topic}” */
            "confirmation.reminder"?: string | null;
            /** @description Null for the default, in English “One more step” */
            "confirmation.heading"?: string | null;
            /** @description Null for the default, in English “Please confirm that you want to receive “{topic}” from {organization}.” */
            "confirmation.opening"?: string | null;
            /** @description Null for the default, in English “A few days ago you were asked to confirm that you want to receive “{topic}” from {organization}. You have not done so yet.” */
            "confirmation.openingAgain"?: string | null;
            /** @description Null for the default, in English “Confirm my subscription” */
            "confirmation.button"?: string | null;
            /** @description Null for the default, in English “The link works for {days} days.” */
            "confirmation.validity"?: string | null;
            /** @description Null for the default, in English “If the button does not, copy this address into your browser:” */
            "confirmation.copy"?: string | null;
            /** @description Null for the default, in English “If you did not ask for this, ignore it: without your confirmation you are not subscribed.” */
            "confirmation.ignore"?: string | null;
            /** @description Null for the default, in English “Confirm your subscription” */
            "confirm.title"?: string | null;
            /** @description Null for the default, in English “Do you want to receive “{topic}” from {organization}?” */
            "confirm.question"?: string | null;
            /** @description Null for the default, in English “Yes, subscribe me” */
            "confirm.button"?: string | null;
            /** @description Null for the default, in English “If you did not ask for this, close this page: nothing happens.” */
            "confirm.ignore"?: string | null;
            /** @description Null for the default, in English “You are subscribed” */
            "confirm.done"?: string | null;
            /** @description Null for the default, in English “Thank you. You will receive “{topic}” from {organization}.” */
            "confirm.thanks"?: string | null;
            /** @description Null for the default, in English “This link no longer works” */
            "confirm.over"?: string | null;
            /** @description Null for the default, in English “It was replaced by a newer one, is older than 30 days, or was mailed to another address. Nothing has changed. Please use the newest mail, or subscribe again to get one.” */
            "confirm.overReason"?: string | null;
            /** @description Null for the default, in English “Unsubscribe” */
            "unsubscribe.title"?: string | null;
            /** @description Null for the default, in English “No more mail to {address}?” */
            "unsubscribe.question"?: string | null;
            /** @description Null for the default, in English “No more mail about “{topic}” to {address}?” */
            "unsubscribe.topicQuestion"?: string | null;
            /** @description Null for the default, in English “this address” */
            "unsubscribe.thisAddress"?: string | null;
            /** @description Null for the default, in English “Unsubscribe” */
            "unsubscribe.button"?: string | null;
            /** @description Null for the default, in English “Unsubscribe from everything” */
            "unsubscribe.everything"?: string | null;
            /** @description Null for the default, in English “Choose what you get” */
            "unsubscribe.choose"?: string | null;
            /** @description Null for the default, in English “You are unsubscribed” */
            "unsubscribe.done"?: string | null;
            /** @description Null for the default, in English “You will get no more mail from us.” */
            "unsubscribe.doneText"?: string | null;
            /** @description Null for the default, in English “You will get no more mail about “{topic}”.” */
            "unsubscribe.topicDoneText"?: string | null;
            /** @description Null for the default, in English “Your mail preferences” */
            "preferences.title"?: string | null;
            /** @description Null for the default, in English “For {address}” */
            "preferences.address"?: string | null;
            /** @description Null for the default, in English “What do you want to get?” */
            "preferences.question"?: string | null;
            /** @description Null for the default, in English “Save” */
            "preferences.save"?: string | null;
            /** @description Null for the default, in English “You get no mail from us now. With a topic that you choose here you are back.” */
            "preferences.away"?: string | null;
            /** @description Null for the default, in English “Waits for your confirmation: see the mail that we sent you.” */
            "preferences.pending"?: string | null;
            /** @description Null for the default, in English “Your choice is saved” */
            "preferences.done"?: string | null;
            /** @description Null for the default, in English “Back to your preferences” */
            "preferences.back"?: string | null;
            /** @description Null for the default, in English ““{topic}”” */
            "preferences.topic"?: string | null;
            /** @description Null for the default, in English “You get mail about {topics} from now on.” */
            "preferences.subscribed"?: string | null;
            /** @description Null for the default, in English “We mailed you: confirm there that you want {topics}.” */
            "preferences.asked"?: string | null;
            /** @description Null for the default, in English “You get no more mail about {topics}.” */
            "preferences.unsubscribed"?: string | null;
            /** @description Null for the default, in English “No more mail to confirm {topics} can be sent today.” */
            "preferences.limited"?: string | null;
            /** @description Null for the default, in English “{topics} cannot be added with this link.” */
            "preferences.refused"?: string | null;
            /** @description Null for the default, in English “Nothing has changed.” */
            "preferences.unchanged"?: string | null;
            /** @description Null for the default, in English “Text messages to {phone}” */
            "preferences.texts"?: string | null;
            /** @description Null for the default, in English “Send me text messages” */
            "preferences.textsOn"?: string | null;
            /** @description Null for the default, in English “No more text messages” */
            "preferences.textsOff"?: string | null;
            /** @description Null for the default, in English “You get text messages at {phone} from now on.” */
            "preferences.textsAreOn"?: string | null;
            /** @description Null for the default, in English “You get no more text messages at {phone}.” */
            "preferences.textsAreOff"?: string | null;
        };
        /** OrganizationUsage */
        OrganizationUsage: {
            /** @description Disconnected connections are not counted. */
            connections: number;
            members: number;
            /** @description Revoked and expired keys are not counted. */
            apiKeys: number;
            /** @description Events accepted in this UTC month. */
            events: number;
            /** @description Bytes of templates and their versions, contents of batches, single mail (for 7 days, without `retainBody` until it is sent), mail of workflows (as long as its log), responses of 8 KiB and more stored for an `Idempotency-Key` (for a day), and import reports (for 30 days). */
            storedBytes: number;
        };
        /** PasswordInput */
        PasswordInput: {
            currentPassword: string;
            newPassword: string;
        };
        /** PostToolsInput */
        PostToolsInput: {
            /** @description Which tool. */
            tool?: string;
            address?: string;
            headers?: string;
            message?: string;
        };
        /**
         * PreferencesInput
         * @description Send `topics`, the scope `all`, or `texts`.
         */
        PreferencesInput: {
            /**
             * @description `chosen` saves the list of `topics`. `all` unsubscribes from all mail, whatever `topics` contains.
             * @enum {string}
             */
            scope?: "chosen" | "all";
            /**
             * @description Opts the contact’s phone number in or out of text messages. Nothing else is changed then.
             * @enum {string}
             */
            texts?: "on" | "off";
            /** @description Ids of the public topics that the contact wants. The contact is unsubscribed from all other public topics. Ids of topics that are not public are ignored. */
            topics?: string[];
        };
        /** PreferencesSaved */
        PreferencesSaved: {
            /** @constant */
            success: true;
            message: string;
        };
        /** PublishInput */
        PublishInput: {
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you read. If the template has changed since, the request fails with 409.
             */
            ifUnmodifiedSince?: string;
        } | null;
        /**
         * PublishedContent
         * @description The published content, if it differs from the template’s present content. Null if it does not differ, or if nothing is published.
         */
        PublishedContent: {
            version: number;
            subject: string | null;
            previewText: string | null;
            /** @enum {string} */
            sourceType: "html" | "mjml";
            /** @enum {string} */
            emailType: "marketing" | "transactional";
            variables: components["schemas"]["PublishedContentVariablesItem"][];
            textContent: string | null;
            source?: string;
            compiledHtml?: string;
            compiledText?: string;
        } | null;
        /** PublishedContentVariablesItem */
        PublishedContentVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** PublishedTemplate */
        PublishedTemplate: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            subject: string | null;
            previewText: string | null;
            /** @enum {string} */
            sourceType: "html" | "mjml";
            /** @enum {string} */
            emailType: "marketing" | "transactional";
            variables: components["schemas"]["PublishedTemplateVariablesItem"][];
            /** @enum {string} */
            status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
            /** @description The newest published version. 0 if none is published. */
            version: number;
            /** @description `true` if the template was changed after its publication. Mail uses the published version. */
            hasUnpublishedChanges: boolean;
            sourceHash: string | null;
            cliProjectPath: string | null;
            sesTemplateName: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: date-time */
            publishedAt: string | null;
            /** @description HTML or MJML with Liquid, as last edited. */
            source: string;
            textContent: string | null;
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** PublishedTemplateVariablesItem */
        PublishedTemplateVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** PulledTemplate */
        PulledTemplate: {
            name: string;
            slug: string;
            subject: string | null;
            previewText: string | null;
            /** @enum {string} */
            sourceType: "html" | "mjml";
            /** @enum {string} */
            emailType: "marketing" | "transactional";
            variables: components["schemas"]["PulledTemplateVariablesItem"][];
            textContent: string | null;
            source?: string;
            compiledHtml?: string;
            compiledText?: string;
            /** @enum {string} */
            status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
            /** @description The newest published version. 0 if none is published. */
            version: number;
            /** @description `true` if the template was changed after its publication. Mail uses the published version. */
            hasUnpublishedChanges: boolean;
            sourceHash: string | null;
            cliProjectPath: string | null;
            sesTemplateName: string | null;
            /** Format: date-time */
            updatedAt: string;
            published: components["schemas"]["PublishedContent"];
        };
        /** PulledTemplateVariablesItem */
        PulledTemplateVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** PulledWorkflow */
        PulledWorkflow: {
            slug: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            triggerConfig: components["schemas"]["TriggerConfig"];
            steps: components["schemas"]["FlowStep"][];
            transitions: components["schemas"]["FlowTransition"][];
            settings: components["schemas"]["FlowSettings"];
            /** @description Your own hash, to recognize what you pushed last. */
            sourceHash: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        /** PushedTemplate */
        PushedTemplate: {
            slug: string;
            /**
             * Format: uuid
             * @description Null if the template would be created.
             */
            id: string | null;
            /** @enum {string} */
            outcome: "created" | "updated" | "unchanged";
            /** @enum {string} */
            status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
            /** @description The newest published version. 0 if none is published. */
            version: number;
            /** @description `true` if the template was changed after its publication. Mail uses the published version. */
            hasUnpublishedChanges: boolean;
        };
        /** PushedWorkflow */
        PushedWorkflow: {
            slug: string;
            name: string;
            description?: string | null;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            triggerConfig?: components["schemas"]["TriggerConfigInput"];
            steps: components["schemas"]["FlowStep"][];
            transitions?: components["schemas"]["FlowTransitionInput"][];
            settings?: components["schemas"]["FlowSettingsInput"];
            defaults?: components["schemas"]["WorkflowDefaults"];
            /** @description Your own hash, to recognize what you pushed last. */
            sourceHash?: string | null;
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you pulled. Edits made here up to this time do not cause a conflict.
             */
            updatedAt?: string;
            /** @description Set to `true` to overwrite edits made here. */
            force?: boolean;
            /**
             * @description A push does not enable workflows. Leave it out, and call `POST /v1/workflows/{id}/enable`.
             * @constant
             */
            draft?: true;
            /** @description Ignored. */
            sourceTs?: unknown;
            /** @description Ignored. */
            cliProjectPath?: unknown;
        };
        /** Recipient */
        Recipient: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            contactId: string | null;
            email: string | null;
            /** @description Variant of an A/B test that the contact receives. */
            variant: string | null;
            /** @enum {string} */
            status: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out" | "cancelled";
            messageId: string | null;
            reason: string | null;
            error: string | null;
            /** Format: date-time */
            sentAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
            /** Format: date-time */
            openedAt: string | null;
            /** Format: date-time */
            clickedAt: string | null;
            /** Format: date-time */
            bouncedAt: string | null;
            /** Format: date-time */
            complainedAt: string | null;
        };
        /** RecipientList */
        RecipientList: {
            data: components["schemas"]["Recipient"][];
            limit: number;
            offset: number;
            total: number;
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** RegisteredConnection */
        RegisteredConnection: {
            /** @constant */
            success: true;
            created: boolean;
            /** Format: uuid */
            connectionId: string;
            /** @description External id for the trust policy of the role. */
            externalId: string;
            /** @description The role that Letterloom assumes. Create it with this name. */
            roleArn: string;
            /** @description The webhook secret. It is returned only once, and is null in a replayed response. Earlier secrets work for another 24 hours. */
            webhookSecret: string | null;
            webhookEndpoint: string;
        };
        /** ResendBatch */
        ResendBatch: {
            data: components["schemas"]["ResendEmailId"][];
            /** @description Refused rows. Only with `x-batch-validation: permissive`. */
            errors?: components["schemas"]["ResendBatchErrorsItem"][];
        };
        /** ResendBatchErrorsItem */
        ResendBatchErrorsItem: {
            index: number;
            message: string;
        };
        /**
         * ResendBatchInput
         * @description Each row is checked by itself.
         */
        ResendBatchInput: components["schemas"]["ResendEmailInput"][];
        /** ResendChangedEmail */
        ResendChangedEmail: {
            /** @constant */
            object: "email";
            /** Format: uuid */
            id: string;
        };
        /** ResendEmail */
        ResendEmail: {
            /** @constant */
            object: "email";
            /** Format: uuid */
            id: string;
            /** @description The provider’s message id. Null if the mail is not sent yet. */
            message_id: string | null;
            /** @description Empty if the person was erased. */
            to: string[];
            from: string | null;
            /** Format: date-time */
            created_at: string;
            subject: string | null;
            /** @description Always null. See `/v1/email/{id}/body`. */
            html: string | null;
            /** @description Always null. */
            text: string | null;
            /** @description Always null. */
            cc: string[] | null;
            /** @description Always null. */
            bcc: string[] | null;
            reply_to: string[] | null;
            tags: components["schemas"]["ResendEmailTagsItem"][];
            /** @enum {string} */
            last_event: "scheduled" | "canceled" | "queued" | "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed";
            /** Format: date-time */
            scheduled_at: string | null;
        };
        /** ResendEmailId */
        ResendEmailId: {
            /** Format: uuid */
            id: string;
        };
        /** ResendEmailInput */
        ResendEmailInput: {
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from: string;
            /** @description One address, alone or in a list. The name beside an address is not sent. */
            to: string | string[];
            /** @description Required unless the template has one. */
            subject?: string;
            /** @description Sent unchanged: `{{ … }}` in it is text. */
            html?: string;
            /** @description Absent: it is made from `html`. */
            text?: string;
            /** @description Refused: each recipient is a mail of its own. */
            cc?: string | string[];
            /** @description Refused: each recipient is a mail of its own. */
            bcc?: string | string[];
            /** @description One address. The name beside it is not sent. */
            reply_to?: string | string[];
            headers?: components["schemas"]["ResendEmailInputHeaders"];
            /** @description The provider’s events return them. Do not use them for secrets or addresses. */
            tags?: components["schemas"]["ResendEmailInputTagsItem"][];
            /**
             * Format: date-time
             * @description When to send it, at most 30 days ahead. A time that has just passed means at once.
             */
            scheduled_at?: string;
            /** @description At most 10 MiB in all, decoded. */
            attachments?: components["schemas"]["ResendEmailInputAttachmentsItem"][];
            template?: components["schemas"]["ResendEmailInputTemplate"];
            /** @description Not supported: single mail has no topic. */
            topic_id?: string | null;
        };
        /** ResendEmailInputAttachmentsItem */
        ResendEmailInputAttachmentsItem: {
            /** @description Name of the file, in any script. */
            filename: string;
            /** @description Base64. */
            content: string;
            /** @description Absent: the type follows from the name. It may have parameters: the first `text/calendar` with a `method` is sent as an invitation, which calendars show (RFC 6047). */
            content_type?: string;
            /** @description The file is shown where the HTML has `cid:` and this name, and not listed. */
            content_id?: string;
            /** @description Not supported. Send `content`. */
            path?: string;
        };
        /**
         * ResendEmailInputHeaders
         * @description Custom headers, such as `X-Order` or `In-Reply-To`. Headers that other fields, SES or we set are refused: `Content-*`, `List-*`, `Resent-*`, `X-SES-*`, `Date`, `Errors-To` and so on.
         */
        ResendEmailInputHeaders: {
            [key: string]: string;
        };
        /** ResendEmailInputTagsItem */
        ResendEmailInputTagsItem: {
            name: string;
            value: string;
        };
        /** ResendEmailInputTemplate */
        ResendEmailInputTemplate: {
            id: string;
            variables?: components["schemas"]["ResendEmailInputTemplateVariables"];
        };
        /**
         * ResendEmailInputTemplateVariables
         * @description Values of the template’s variables.
         */
        ResendEmailInputTemplateVariables: {
            [key: string]: unknown;
        };
        /** ResendEmailPatch */
        ResendEmailPatch: {
            /**
             * Format: date-time
             * @description When to send it, at most 30 days ahead. A time that has just passed means at once.
             */
            scheduled_at: string;
        };
        /** ResendEmailTagsItem */
        ResendEmailTagsItem: {
            name: string;
            value: string;
        };
        /** ResendError */
        ResendError: {
            /** @description Message for people. Its wording may change, so do not parse it. */
            error: string;
            /**
             * @description Stable error code for programs.
             * @enum {string}
             */
            code: "BAD_REQUEST" | "CONFLICT" | "FORBIDDEN" | "INTERNAL_ERROR" | "MALFORMED_REQUEST" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "PAYMENT_REQUIRED" | "RATE_LIMITED" | "REQUEST_FAILED" | "UNAUTHORIZED" | "VALIDATION_FAILED";
            /** @description Equals the `x-request-id` header. Include it when you contact support. */
            requestId?: string;
            /** @description A stable snake_case word that is more specific than the code. */
            reason?: string;
            details?: components["schemas"]["ResendErrorDetailsItem"][];
            statusCode: number;
            /**
             * @description Resend’s name of the error.
             * @enum {string}
             */
            name: "validation_error" | "missing_required_field" | "invalid_attachment" | "invalid_from_address" | "invalid_idempotency_key" | "invalid_idempotent_request" | "concurrent_idempotent_requests" | "missing_api_key" | "invalid_api_key" | "restricted_api_key" | "invalid_access" | "not_found" | "method_not_allowed" | "monthly_quota_exceeded" | "rate_limit_exceeded" | "internal_server_error";
            /** @description The same as `error`. */
            message: string;
        };
        /** ResendErrorDetailsItem */
        ResendErrorDetailsItem: {
            /** @description Path of the invalid input: `steps[0].config.url`. */
            path: string;
            message: string;
            contactId?: string;
        };
        /** RetryFailedInput */
        RetryFailedInput: {
            /**
             * @description `newest` continues permanently with the newest version of the workflow, if it has the failed step. Completed steps are not repeated. By default, the execution continues with its own version.
             * @enum {string}
             */
            version?: "newest";
            /** @description Only executions that failed at this step. */
            stepId?: string;
            /**
             * Format: date-time
             * @description Only executions that failed since this time.
             */
            failedSince?: string;
        } | null;
        /** RetryInput */
        RetryInput: {
            /**
             * @description `newest` continues permanently with the newest version of the workflow, if it has the failed step. Completed steps are not repeated. By default, the execution continues with its own version.
             * @enum {string}
             */
            version?: "newest";
        } | null;
        /** ReverseDnsReport */
        ReverseDnsReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["ReverseDnsReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** ReverseDnsReportDetails */
        ReverseDnsReportDetails: {
            addresses: components["schemas"]["ReverseDnsReportDetailsAddressesItem"][];
        };
        /** ReverseDnsReportDetailsAddressesItem */
        ReverseDnsReportDetailsAddressesItem: {
            ip: string;
            names: string[];
            /** @description `true` if a name leads back to the address. */
            isConfirmed: boolean;
        };
        /** RowError */
        RowError: {
            /** @description Position of the row in the request, starting at 0. */
            index: number;
            /**
             * @description Error code that the row would get in a request of its own.
             * @enum {string}
             */
            code: "BAD_REQUEST" | "CONFLICT" | "FORBIDDEN" | "INTERNAL_ERROR" | "MALFORMED_REQUEST" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "PAYMENT_REQUIRED" | "RATE_LIMITED" | "REQUEST_FAILED" | "UNAUTHORIZED" | "VALIDATION_FAILED";
            /** @description A stable snake_case word: `contact_not_found` … */
            reason: string;
            /** @description Message for people. It contains the path: `contacts[3].email`. */
            message: string;
            details?: components["schemas"]["RowErrorDetailsItem"][];
        };
        /** RowErrorDetailsItem */
        RowErrorDetailsItem: {
            /** @description Path of the invalid input: `steps[0].config.url`. */
            path: string;
            message: string;
            contactId?: string;
        };
        /** RunBlocklistCheckInput */
        RunBlocklistCheckInput: {
            /** @description A domain or an IP address. */
            domain: string;
        };
        /** RunDmarcCheckInput */
        RunDmarcCheckInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
        };
        /** RunMtaStsCheckInput */
        RunMtaStsCheckInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
        };
        /** RunMxCheckInput */
        RunMxCheckInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
        };
        /** RunReverseDnsCheckInput */
        RunReverseDnsCheckInput: {
            /** @description A domain or an IP address. */
            domain: string;
        };
        /** RunTlsRptCheckInput */
        RunTlsRptCheckInput: {
            /** @description A domain. An email address or a web address is reduced to its domain. */
            domain: string;
        };
        /**
         * ScheduleFailure
         * @description The latest scheduled time at which not everybody was started, because its segment could not be evaluated or an operator stopped it. Null if none failed since the last success.
         */
        ScheduleFailure: {
            /**
             * Format: date-time
             * @description The scheduled time.
             */
            scheduledFor: string;
            /** @enum {string} */
            reason: "segment_not_usable" | "segment_too_slow" | "stopped_by_operator";
        } | null;
        /** Segment */
        Segment: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            condition: components["schemas"]["StoredCondition"];
            /** @description The condition in words. */
            sentence: string;
            problem: components["schemas"]["SegmentProblem"];
            /** @description Number of members at `countedAt`. Null if they could not be counted in time. */
            memberCount: number | null;
            /** @description `false` if the count is an estimate, made from every 64th contact of a large organization. */
            memberCountIsExact: boolean | null;
            /** Format: date-time */
            countedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** SegmentInput */
        SegmentInput: {
            name: string;
            description?: string | null;
            condition: components["schemas"]["Condition"];
        };
        /** SegmentList */
        SegmentList: {
            segments: components["schemas"]["Segment"][];
            total: number;
            limit: number;
            offset: number;
        };
        /** SegmentMember */
        SegmentMember: {
            /** Format: uuid */
            id: string;
            externalId: string | null;
            email: string | null;
            phone: string | null;
            firstName: string | null;
            lastName: string | null;
            company: string | null;
            jobTitle: string | null;
            /** @enum {string|null} */
            emailStatus: "active" | "unsubscribed" | "bounced" | "suppressed" | "complained" | null;
            /** @enum {string|null} */
            smsStatus: "pending_consent" | "opted_in" | "opted_out" | "invalid" | null;
            /** @enum {string|null} */
            preferredChannel: "email" | "sms" | null;
            properties: components["schemas"]["SegmentMemberProperties"];
            emailsSent: number;
            /** @description Mails opened by people. Known bots are not counted. A click counts as an open, too. */
            emailsOpened: number;
            /** @description Mails clicked by people. Links to our own pages are not counted. */
            emailsClicked: number;
            smsSent: number;
            smsClicked: number;
            /** Format: date-time */
            emailVerifiedAt: string | null;
            /** Format: date-time */
            emailUnsubscribedAt: string | null;
            /** Format: date-time */
            emailBouncedAt: string | null;
            /** Format: date-time */
            emailComplainedAt: string | null;
            /** Format: date-time */
            emailSuppressedAt: string | null;
            /** Format: date-time */
            smsConsentedAt: string | null;
            /** Format: date-time */
            smsOptedOutAt: string | null;
            /** Format: date-time */
            lastActivityAt: string | null;
            /** Format: date-time */
            lastEmailSentAt: string | null;
            /** Format: date-time */
            lastEmailOpenedAt: string | null;
            /** Format: date-time */
            lastEmailClickedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Returned for a single contact, not in lists. */
            topics?: components["schemas"]["ContactTopic"][];
            /** @description Returned after a write: topics whose subscription awaits confirmation. */
            pendingTopics?: string[];
            /** @description `true` if the requested status was refused, because the person unsubscribed or the address is suppressed. The contact keeps its status. */
            emailStatusKept?: boolean;
            /** @description `true` if the requested status was refused, because the number opted out or is invalid. The contact keeps its status. */
            smsStatusKept?: boolean;
            /**
             * Format: date-time
             * @description When the contact entered the segment. Null if membership is not tracked, or if the contact was a member before tracking began.
             */
            enteredAt: string | null;
        };
        /** SegmentMemberList */
        SegmentMemberList: {
            contacts: components["schemas"]["SegmentMember"][];
            total: number;
            page: number;
            pageSize: number;
            totalPages: number;
            /** @description `false` if there are more than 10,000 contacts, up to which they are counted. */
            totalIsExact: boolean;
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** SegmentMemberProperties */
        SegmentMemberProperties: {
            [key: string]: unknown;
        };
        /** SegmentPatch */
        SegmentPatch: {
            name?: string;
            description?: string | null;
            condition?: components["schemas"]["Condition"];
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you read. If the segment has changed since, the request fails with 409.
             */
            ifUnmodifiedSince?: string;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            sentence?: unknown;
            /** @description Ignored. */
            problem?: unknown;
            /** @description Ignored. */
            memberCount?: unknown;
            /** @description Ignored. */
            memberCountIsExact?: unknown;
            /** @description Ignored. */
            countedAt?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
        };
        /** SegmentPreview */
        SegmentPreview: {
            count: number;
            /** @description `false` if the count is an estimate. See `memberCountIsExact` of a segment. */
            countIsExact: boolean;
            /** @description The condition in words. */
            sentence: string;
            /** @description The newest matching contacts. For an estimate, the newest of the contacts that were read. */
            sample: components["schemas"]["Contact"][];
            /** @description Filters of properties that cannot read the values of some contacts, such as `11/26/2026` where a time is expected. Null if finding them takes too long. */
            skippedValues: components["schemas"]["SkippedValues"][] | null;
        };
        /** SegmentPreviewInput */
        SegmentPreviewInput: {
            condition: components["schemas"]["Condition"];
            /** @description Number of contacts in the sample. Defaults to 10. */
            limit?: number;
        };
        /**
         * SegmentProblem
         * @description Why the segment has no members (`segment_not_usable`), or why contacts temporarily do not enter or leave it. Null if there is no problem.
         */
        SegmentProblem: {
            /** @enum {string} */
            reason: "segment_not_usable" | "segment_too_slow";
            message: string;
        } | null;
        /**
         * SendEmailStep
         * @description `templateId`, or `subject` and `html`, is required. Contacts who cannot be mailed are skipped, and the execution continues.
         */
        SendEmailStep: {
            id: string;
            /** @constant */
            type: "send_email";
            name: string;
            config: components["schemas"]["SendEmailStepConfig"];
            position?: components["schemas"]["SendEmailStepPosition"];
        };
        /** SendEmailStepConfig */
        SendEmailStepConfig: {
            templateId?: string;
            /** @description Subject with Liquid. */
            subject?: string;
            html?: string;
            /**
             * Format: mailbox
             * @description Needed. An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from?: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string;
            /** Format: email */
            replyTo?: string;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string;
            topicId?: string;
            topicSlug?: string;
            variables?: components["schemas"]["SendEmailStepConfigVariables"];
        };
        /** SendEmailStepConfigVariables */
        SendEmailStepConfigVariables: {
            [key: string]: unknown;
        };
        /**
         * SendEmailStepPosition
         * @description Position in your editor. It has no effect.
         */
        SendEmailStepPosition: {
            x: number;
            y: number;
        };
        /**
         * SendSmsStep
         * @description Requires an SMS transport. Without one, the workflow cannot be enabled.
         */
        SendSmsStep: {
            id: string;
            /** @constant */
            type: "send_sms";
            name: string;
            config: components["schemas"]["SendSmsStepConfig"];
            position?: components["schemas"]["SendSmsStepPosition"];
        };
        /** SendSmsStepConfig */
        SendSmsStepConfig: {
            body: string;
        };
        /**
         * SendSmsStepPosition
         * @description Position in your editor. It has no effect.
         */
        SendSmsStepPosition: {
            x: number;
            y: number;
        };
        /** SendingIdentity */
        SendingIdentity: {
            identity: string;
            /** @description `DOMAIN`, `EMAIL_ADDRESS` or `MANAGED_DOMAIN`. */
            identityType: string | null;
            verifiedForSending: boolean;
            /** @description `PENDING`, `SUCCESS`, `FAILED`, `TEMPORARY_FAILURE` or `NOT_STARTED`. */
            verificationStatus: string | null;
            dkim: components["schemas"]["SendingIdentityDkim"];
            mailFromDomain: components["schemas"]["SendingIdentityMailFromDomain"];
            feedbackForwarding: boolean;
            configurationSet: string | null;
            /** @description Records to set in the zone of the domain, and their present state. Empty for an email address. */
            dnsRecords: components["schemas"]["DnsRecord"][];
            /** Format: uuid */
            cloudAccountId: string;
            region: string;
            /** @description Accounts that were asked before this one and did not answer. */
            unreachableAccountIds: string[];
        };
        /** SendingIdentityDkim */
        SendingIdentityDkim: {
            status: string | null;
            signingAttributesOrigin: string | null;
            tokens: string[];
        } | null;
        /** SendingIdentityList */
        SendingIdentityList: {
            data: components["schemas"]["SendingIdentityListItem"][];
            accounts: components["schemas"]["AskedAccount"][];
        };
        /** SendingIdentityListItem */
        SendingIdentityListItem: {
            identity: string;
            /** @description `DOMAIN`, `EMAIL_ADDRESS` or `MANAGED_DOMAIN`. */
            identityType: string | null;
            sendingEnabled: boolean | null;
            /** @description `PENDING`, `SUCCESS`, `FAILED`, `TEMPORARY_FAILURE` or `NOT_STARTED`. */
            verificationStatus: string | null;
            /** Format: uuid */
            cloudAccountId: string;
            region: string;
        };
        /** SendingIdentityMailFromDomain */
        SendingIdentityMailFromDomain: {
            domain: string;
            status: string | null;
        } | null;
        /**
         * SendingIdentityUnavailable
         * @description No account can be called. See Retry-After
         */
        SendingIdentityUnavailable: {
            /** @description Message for people. Its wording may change, so do not parse it. */
            error: string;
            /**
             * @description Stable error code for programs.
             * @enum {string}
             */
            code: "BAD_REQUEST" | "CONFLICT" | "FORBIDDEN" | "INTERNAL_ERROR" | "MALFORMED_REQUEST" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "PAYMENT_REQUIRED" | "RATE_LIMITED" | "REQUEST_FAILED" | "UNAUTHORIZED" | "VALIDATION_FAILED";
            /** @description Equals the `x-request-id` header. Include it when you contact support. */
            requestId?: string;
            /** @description A stable snake_case word that is more specific than the code. */
            reason?: string;
            details?: components["schemas"]["SendingIdentityUnavailableDetailsItem"][];
            /** @description Same text as `error`. */
            message: string;
        };
        /** SendingIdentityUnavailableDetailsItem */
        SendingIdentityUnavailableDetailsItem: {
            /** @description Path of the invalid input: `steps[0].config.url`. */
            path: string;
            message: string;
            contactId?: string;
        };
        /** Session */
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organizationId: string;
            organizationName: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last request, to the minute.
             */
            lastSeenAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description `true` for the session of this request. */
            current: boolean;
        };
        /** SessionList */
        SessionList: {
            data: components["schemas"]["Session"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** SingleTemplatePush */
        SingleTemplatePush: {
            slug: string;
            /** @description Name of the template. Defaults to its present name, or to the slug. */
            name?: string;
            subject?: string | null;
            previewText?: string | null;
            /** @enum {string} */
            sourceType?: "html" | "mjml";
            /** @description HTML or MJML with Liquid. */
            source?: string | null;
            /** @description The text part with Liquid. Without it, it is made from the HTML. */
            textContent?: string | null;
            /** @description HTML with Liquid, published as it is. Ignored if `source` and `sourceType` are sent. With `source` alone, this is the compiled form of that source, which is not stored. */
            compiledHtml?: string | null;
            /** @description The text part. Without it, it is made from the HTML. */
            compiledText?: string | null;
            /**
             * @description Templates are for email only.
             * @enum {string}
             */
            channel?: "email";
            /** @enum {string} */
            emailType?: "marketing" | "transactional";
            variables?: components["schemas"]["SingleTemplatePushVariablesItem"][];
            /** @description Your own hash, to recognize what you pushed last. */
            sourceHash?: string | null;
            cliProjectPath?: string | null;
            sesTemplateName?: string | null;
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you pulled. Edits made here up to this time do not cause a conflict.
             */
            updatedAt?: string;
            /** @description Set to `true` to overwrite edits made here. */
            force?: boolean;
            /** @description Ignored. */
            status?: unknown;
            /** @description Ignored. */
            version?: unknown;
            /** @description Ignored. */
            hasUnpublishedChanges?: unknown;
            /** @description Ignored. */
            published?: unknown;
            /** @description Set to `true` to check the request without changing anything. */
            dryRun?: boolean;
        };
        /** SingleTemplatePushVariablesItem */
        SingleTemplatePushVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** SingleWorkflowPush */
        SingleWorkflowPush: {
            slug: string;
            name: string;
            description?: string | null;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            triggerConfig?: components["schemas"]["TriggerConfigInput"];
            steps: components["schemas"]["FlowStep"][];
            transitions?: components["schemas"]["FlowTransitionInput"][];
            settings?: components["schemas"]["FlowSettingsInput"];
            defaults?: components["schemas"]["WorkflowDefaults"];
            /** @description Your own hash, to recognize what you pushed last. */
            sourceHash?: string | null;
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you pulled. Edits made here up to this time do not cause a conflict.
             */
            updatedAt?: string;
            /** @description Set to `true` to overwrite edits made here. */
            force?: boolean;
            /**
             * @description A push does not enable workflows. Leave it out, and call `POST /v1/workflows/{id}/enable`.
             * @constant
             */
            draft?: true;
            /** @description Ignored. */
            sourceTs?: unknown;
            /** @description Ignored. */
            cliProjectPath?: unknown;
            /** @description Set to `true` to check the request without changing anything. */
            dryRun?: boolean;
        };
        /** SkippedValues */
        SkippedValues: {
            field: string;
            /** @enum {string} */
            operator: "equals" | "notEquals" | "contains" | "notContains" | "startsWith" | "endsWith" | "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual" | "exists" | "notExists" | "inList" | "notInList" | "within" | "notWithin" | "withinNext" | "triggered" | "notTriggered" | "triggeredWithin" | "notTriggeredWithin" | "triggeredAtLeast" | "hasTopic" | "notHasTopic" | "inBucket";
            /** @description Number of contacts whose value the operator cannot read. An estimate if `count` is one. */
            count: number;
            /** @description Up to three of these values, the most frequent ones. */
            examples: string[];
        };
        /** SnsMessage */
        SnsMessage: {
            /** @enum {string} */
            Type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
            /** @description The same one again is the same event. */
            MessageId: string;
            TopicArn: string;
            Subject?: string;
            /** @description For a notification, the SES event as JSON. */
            Message: string;
            /** @description Refused when older than an hour. */
            Timestamp: string;
            /** @description `1` (SHA-1) or `2` (SHA-256). */
            SignatureVersion: string;
            /** @description Base64. */
            Signature: string;
            /** @description At the provider’s own host of the topic’s region. */
            SigningCertURL: string;
            /** @description Is never called. */
            SubscribeURL?: string;
            Token?: string;
        } & {
            [key: string]: unknown;
        };
        /** SpfNode */
        SpfNode: {
            domain: string;
            /** @description Depth in the tree. The root is 0, the records that it includes are 1. */
            depth: number;
            record: string | null;
            /**
             * @description `skipped`: beyond the limit, or dependent on the mail.
             * @enum {string}
             */
            status: "record" | "none" | "many" | "failed" | "skipped" | "loop";
            /** @description What is wrong with its syntax. */
            problem: string | null;
            terms: components["schemas"]["SpfNodeTermsItem"][];
        };
        /** SpfNodeTermsItem */
        SpfNodeTermsItem: {
            /** @description As it is written. */
            text: string;
            /** @description Look-ups of this term and of everything that it leads to. */
            lookups: number;
            /** @description `true` if the look-up finds nothing. */
            isVoid: boolean;
            /** @description `true` if the look-up was not answered. */
            isUnanswered: boolean;
            /** @description Why receivers stop here with a permerror. */
            problem: string | null;
            /** @description The domain of `include` and `redirect`. */
            leadsTo: string | null;
        };
        /** SpfReport */
        SpfReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["SpfReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** SpfReportDetails */
        SpfReportDetails: {
            record: string | null;
            /** @description Look-ups that a receiver makes (RFC 7208, 4.6.4). */
            lookups: number;
            mostLookups: number;
            /** @description Look-ups that find nothing. */
            voidLookups: number;
            mostVoidLookups: number;
            /** @description What happens to mail that nothing matches: `-`, `~`, `?` or `+`; of the record that redirects lead to. */
            all: string | null;
            /** @description All records that were read. */
            nodes: components["schemas"]["SpfNode"][];
            evaluation: components["schemas"]["SpfReportDetailsEvaluation"];
        };
        /** SpfReportDetailsEvaluation */
        SpfReportDetailsEvaluation: {
            ip: string;
            sender: string;
            /** @enum {string} */
            result: "none" | "neutral" | "pass" | "fail" | "softfail" | "temperror" | "permerror";
            /** @description The mechanism that decided. */
            term: string | null;
            reason: string | null;
        } | null;
        /**
         * SplitStep
         * @description Branches: the names. An execution always takes the same branch.
         */
        SplitStep: {
            id: string;
            /** @constant */
            type: "split";
            name: string;
            config: components["schemas"]["SplitStepConfig"];
            position?: components["schemas"]["SplitStepPosition"];
        };
        /** SplitStepConfig */
        SplitStepConfig: {
            branches: components["schemas"]["SplitStepConfigBranchesItem"][];
        };
        /** SplitStepConfigBranchesItem */
        SplitStepConfigBranchesItem: {
            name: string;
            weight: number;
        };
        /**
         * SplitStepPosition
         * @description Position in your editor. It has no effect.
         */
        SplitStepPosition: {
            x: number;
            y: number;
        };
        /**
         * StoredCondition
         * @description Null if this version cannot evaluate the stored condition.
         */
        StoredCondition: {
            /**
             * @description Operator that joins the groups.
             * @enum {string}
             */
            logic: "AND" | "OR";
            groups: components["schemas"]["ConditionGroup"][];
        } | null;
        /**
         * SubscribeTopicStep
         * @description A topic with double opt-in sends a confirmation email.
         */
        SubscribeTopicStep: {
            id: string;
            /** @constant */
            type: "subscribe_topic";
            name: string;
            config: components["schemas"]["SubscribeTopicStepConfig"];
            position?: components["schemas"]["SubscribeTopicStepPosition"];
        };
        /** SubscribeTopicStepConfig */
        SubscribeTopicStepConfig: {
            topicId?: string;
            topicSlug?: string;
        };
        /**
         * SubscribeTopicStepPosition
         * @description Position in your editor. It has no effect.
         */
        SubscribeTopicStepPosition: {
            x: number;
            y: number;
        };
        /** Success */
        Success: {
            /** @constant */
            success: true;
        };
        /** Suppression */
        Suppression: {
            /** Format: uuid */
            id: string;
            /**
             * @description `sms`: the entry is of a phone number.
             * @enum {string}
             */
            channel: "email" | "sms";
            /** @description Null if only the hash of the address is known. The entry is effective all the same. */
            email: string | null;
            /** @description The number of an entry of channel `sms`. Null as `email` is. */
            phone: string | null;
            /**
             * @description Numbers are `opted_out` or `invalid`; the other reasons are of addresses.
             * @enum {string}
             */
            reason: "unsubscribed" | "bounced" | "suppressed" | "complained" | "opted_out" | "invalid";
            /**
             * @description Source of the reason.
             * @enum {string}
             */
            source: "link" | "event" | "api" | "import";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /**
         * SuppressionInput
         * @description `email` or `phone` is required.
         */
        SuppressionInput: {
            /** Format: email */
            email?: string;
            phone?: string;
            /**
             * @description Reason of the suppression. Defaults to `suppressed` for an address and to `opted_out` for a number.
             * @enum {string}
             */
            reason?: "unsubscribed" | "bounced" | "suppressed" | "complained" | "opted_out" | "invalid";
        };
        /** SuppressionList */
        SuppressionList: {
            data: components["schemas"]["Suppression"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** SwitchInput */
        SwitchInput: {
            /** Format: uuid */
            organizationId: string;
        };
        /** SwitchedSession */
        SwitchedSession: {
            /** @description Token for the Authorization header. It is returned only once. */
            token: string;
            /**
             * Format: date-time
             * @description When the session expires. It expires earlier if it is not used for 14 days.
             */
            expiresAt: string;
            /**
             * Format: uuid
             * @description Organization of the session.
             */
            organizationId: string;
        };
        /** Template */
        Template: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            subject: string | null;
            previewText: string | null;
            /** @enum {string} */
            sourceType: "html" | "mjml";
            /** @enum {string} */
            emailType: "marketing" | "transactional";
            variables: components["schemas"]["TemplateVariablesItem"][];
            /** @enum {string} */
            status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
            /** @description The newest published version. 0 if none is published. */
            version: number;
            /** @description `true` if the template was changed after its publication. Mail uses the published version. */
            hasUnpublishedChanges: boolean;
            sourceHash: string | null;
            cliProjectPath: string | null;
            sesTemplateName: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: date-time */
            publishedAt: string | null;
            /** @description HTML or MJML with Liquid, as last edited. */
            source: string;
            textContent: string | null;
        };
        /** TemplateBatchPush */
        TemplateBatchPush: {
            /** @description Each row is checked on its own. An invalid row is reported in `errorDetails`, and all other rows are accepted. */
            templates: components["schemas"]["TemplatePush"][];
            /** @description Set to `true` to overwrite edits made here. */
            force?: boolean;
            /** @description Set to `true` to check the request without changing anything. */
            dryRun?: boolean;
            /** @description Ignored. */
            nextCursor?: unknown;
        };
        /** TemplateBatchPushResult */
        TemplateBatchPushResult: {
            /** @description `true` if every template was accepted. */
            success: boolean;
            dryRun: boolean;
            /** @description Accepted templates. */
            results: components["schemas"]["PushedTemplate"][];
            /** @description Messages of `errorDetails`, for people. */
            errors: string[];
            /** @description Refused rows, in the order of the request. */
            errorDetails: components["schemas"]["RowError"][];
        };
        /** TemplateInput */
        TemplateInput: {
            name: string;
            slug?: string;
            /** @enum {string} */
            sourceType?: "html" | "mjml";
            /** @enum {string} */
            emailType?: "marketing" | "transactional";
            variables?: components["schemas"]["TemplateInputVariablesItem"][];
            subject?: string;
            previewText?: string;
            /** @description HTML or MJML with Liquid. */
            source: string;
            /** @description The text part with Liquid. Without it, it is made from the HTML. */
            textContent?: string;
            /**
             * @description Defaults to PUBLISHED.
             * @enum {string}
             */
            status?: "DRAFT" | "PUBLISHED";
        };
        /** TemplateInputVariablesItem */
        TemplateInputVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** TemplateList */
        TemplateList: {
            data: components["schemas"]["TemplateSummary"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** TemplateListPush */
        TemplateListPush: {
            templates: components["schemas"]["TemplatePush"][];
            /** @description Set to `true` to overwrite edits made here. */
            force?: boolean;
            /** @description Set to `true` to check the request without changing anything. */
            dryRun?: boolean;
            /** @description Ignored. */
            nextCursor?: unknown;
        };
        /** TemplatePatch */
        TemplatePatch: {
            name?: string;
            slug?: string;
            /** @enum {string} */
            sourceType?: "html" | "mjml";
            /** @enum {string} */
            emailType?: "marketing" | "transactional";
            variables?: components["schemas"]["TemplatePatchVariablesItem"][];
            subject?: string | null;
            previewText?: string | null;
            /** @description HTML or MJML with Liquid. */
            source?: string;
            /** @description The text part with Liquid. Without it, it is made from the HTML. */
            textContent?: string | null;
            /**
             * @description ARCHIVED archives the template, and its former status restores it. Use `publish` to publish a draft.
             * @enum {string}
             */
            status?: "DRAFT" | "PUBLISHED" | "ARCHIVED";
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you read. If the template has changed since, the request fails with 409.
             */
            ifUnmodifiedSince?: string;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            version?: unknown;
            /** @description Ignored. */
            hasUnpublishedChanges?: unknown;
            /** @description Ignored. */
            sourceHash?: unknown;
            /** @description Ignored. */
            cliProjectPath?: unknown;
            /** @description Ignored. */
            sesTemplateName?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
            /** @description Ignored. */
            publishedAt?: unknown;
        };
        /** TemplatePatchVariablesItem */
        TemplatePatchVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** TemplatePreview */
        TemplatePreview: {
            /** Format: uuid */
            templateId: string;
            name: string;
            /** Format: uuid */
            contactId: string | null;
            email: string | null;
            subject: string | null;
            /** @description The preview text as written, with its Liquid. */
            previewText: string | null;
            html: string | null;
            text: string | null;
            /** @description Size of the HTML part. Gmail shows 102 KB. */
            sizeBytes: number;
            problem: components["schemas"]["TemplatePreviewProblem"];
            /** @description Points to check before sending. Links are not followed, so a valid link may still lead nowhere. */
            checks: components["schemas"]["MailCheck"][];
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** TemplatePreviewInput */
        TemplatePreviewInput: {
            /** @description Contact whose mail is shown. */
            contactId?: string;
            contact?: components["schemas"]["TemplatePreviewInputContact"];
            variables?: components["schemas"]["TemplatePreviewInputVariables"];
            trigger?: components["schemas"]["TemplatePreviewInputTrigger"];
            event?: components["schemas"]["TemplatePreviewInputEvent"];
        } | null;
        /**
         * TemplatePreviewInputContact
         * @description A sample contact instead of a stored one. Missing fields are missing in the mail, too. Without a contact and a sample, Ada Lovelace is used.
         */
        TemplatePreviewInputContact: {
            externalId?: string | null;
            /** Format: email */
            email?: string;
            phone?: string | null;
            firstName?: string | null;
            lastName?: string | null;
            company?: string | null;
            jobTitle?: string | null;
            properties?: components["schemas"]["TemplatePreviewInputContactProperties"];
        };
        /**
         * TemplatePreviewInputContactProperties
         * @description As `contact.properties`.
         */
        TemplatePreviewInputContactProperties: {
            [key: string]: unknown;
        };
        /** TemplatePreviewInputEvent */
        TemplatePreviewInputEvent: {
            name: string;
            properties: components["schemas"]["TemplatePreviewInputEventProperties"];
        };
        /**
         * TemplatePreviewInputEventProperties
         * @description As `event.properties` in mail of workflows.
         */
        TemplatePreviewInputEventProperties: {
            [key: string]: unknown;
        };
        /** TemplatePreviewInputTrigger */
        TemplatePreviewInputTrigger: {
            data: components["schemas"]["TemplatePreviewInputTriggerData"];
        };
        /**
         * TemplatePreviewInputTriggerData
         * @description As `trigger.data` in mail of workflows.
         */
        TemplatePreviewInputTriggerData: {
            [key: string]: unknown;
        };
        /**
         * TemplatePreviewInputVariables
         * @description Values of the variables of the template.
         */
        TemplatePreviewInputVariables: {
            [key: string]: unknown;
        };
        /**
         * TemplatePreviewProblem
         * @description Why this contact gets no mail. The parts of the mail are null then.
         */
        TemplatePreviewProblem: {
            reason: string;
            message: string;
        } | null;
        /** TemplatePull */
        TemplatePull: {
            templates: components["schemas"]["PulledTemplate"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** TemplatePush */
        TemplatePush: {
            slug: string;
            /** @description Name of the template. Defaults to its present name, or to the slug. */
            name?: string;
            subject?: string | null;
            previewText?: string | null;
            /** @enum {string} */
            sourceType?: "html" | "mjml";
            /** @description HTML or MJML with Liquid. */
            source?: string | null;
            /** @description The text part with Liquid. Without it, it is made from the HTML. */
            textContent?: string | null;
            /** @description HTML with Liquid, published as it is. Ignored if `source` and `sourceType` are sent. With `source` alone, this is the compiled form of that source, which is not stored. */
            compiledHtml?: string | null;
            /** @description The text part. Without it, it is made from the HTML. */
            compiledText?: string | null;
            /**
             * @description Templates are for email only.
             * @enum {string}
             */
            channel?: "email";
            /** @enum {string} */
            emailType?: "marketing" | "transactional";
            variables?: components["schemas"]["TemplatePushVariablesItem"][];
            /** @description Your own hash, to recognize what you pushed last. */
            sourceHash?: string | null;
            cliProjectPath?: string | null;
            sesTemplateName?: string | null;
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you pulled. Edits made here up to this time do not cause a conflict.
             */
            updatedAt?: string;
            /** @description Set to `true` to overwrite edits made here. */
            force?: boolean;
            /** @description Ignored. */
            status?: unknown;
            /** @description Ignored. */
            version?: unknown;
            /** @description Ignored. */
            hasUnpublishedChanges?: unknown;
            /** @description Ignored. */
            published?: unknown;
        };
        /** TemplatePushResult */
        TemplatePushResult: {
            /** @constant */
            success: true;
            dryRun: boolean;
            results: components["schemas"]["PushedTemplate"][];
        };
        /** TemplatePushVariablesItem */
        TemplatePushVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** TemplateSummary */
        TemplateSummary: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            subject: string | null;
            previewText: string | null;
            /** @enum {string} */
            sourceType: "html" | "mjml";
            /** @enum {string} */
            emailType: "marketing" | "transactional";
            variables: components["schemas"]["TemplateSummaryVariablesItem"][];
            /** @enum {string} */
            status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
            /** @description The newest published version. 0 if none is published. */
            version: number;
            /** @description `true` if the template was changed after its publication. Mail uses the published version. */
            hasUnpublishedChanges: boolean;
            sourceHash: string | null;
            cliProjectPath: string | null;
            sesTemplateName: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: date-time */
            publishedAt: string | null;
        };
        /** TemplateSummaryVariablesItem */
        TemplateSummaryVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** TemplateTest */
        TemplateTest: {
            subject: string;
            mails: components["schemas"]["TemplateTestMailsItem"][];
        };
        /** TemplateTestInput */
        TemplateTestInput: {
            /** @description Addresses that get the test. A repeated address gets one mail. */
            to: string[];
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string;
            /** Format: email */
            replyTo?: string;
            /** @description Contact whose mail is shown. */
            contactId?: string;
            contact?: components["schemas"]["TemplateTestInputContact"];
            variables?: components["schemas"]["TemplateTestInputVariables"];
            trigger?: components["schemas"]["TemplateTestInputTrigger"];
            event?: components["schemas"]["TemplateTestInputEvent"];
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string;
        };
        /**
         * TemplateTestInputContact
         * @description A sample contact instead of a stored one. Missing fields are missing in the mail, too. Without a contact and a sample, Ada Lovelace is used.
         */
        TemplateTestInputContact: {
            externalId?: string | null;
            /** Format: email */
            email?: string;
            phone?: string | null;
            firstName?: string | null;
            lastName?: string | null;
            company?: string | null;
            jobTitle?: string | null;
            properties?: components["schemas"]["TemplateTestInputContactProperties"];
        };
        /**
         * TemplateTestInputContactProperties
         * @description As `contact.properties`.
         */
        TemplateTestInputContactProperties: {
            [key: string]: unknown;
        };
        /** TemplateTestInputEvent */
        TemplateTestInputEvent: {
            name: string;
            properties: components["schemas"]["TemplateTestInputEventProperties"];
        };
        /**
         * TemplateTestInputEventProperties
         * @description As `event.properties` in mail of workflows.
         */
        TemplateTestInputEventProperties: {
            [key: string]: unknown;
        };
        /** TemplateTestInputTrigger */
        TemplateTestInputTrigger: {
            data: components["schemas"]["TemplateTestInputTriggerData"];
        };
        /**
         * TemplateTestInputTriggerData
         * @description As `trigger.data` in mail of workflows.
         */
        TemplateTestInputTriggerData: {
            [key: string]: unknown;
        };
        /**
         * TemplateTestInputVariables
         * @description Values of the variables of the template.
         */
        TemplateTestInputVariables: {
            [key: string]: unknown;
        };
        /** TemplateTestMailsItem */
        TemplateTestMailsItem: {
            /**
             * Format: uuid
             * @description Id for `GET /v1/email/{id}`.
             */
            id: string;
            to: string;
            /**
             * @description `suppressed`: the address cannot be mailed.
             * @enum {string}
             */
            status: "queued" | "suppressed";
        };
        /** TemplateVariablesItem */
        TemplateVariablesItem: {
            name: string;
            fallback?: string | null;
        };
        /** TemplateVersion */
        TemplateVersion: {
            version: number;
            subject: string | null;
            /** Format: date-time */
            publishedAt: string;
        };
        /** TemplateVersionList */
        TemplateVersionList: {
            data: components["schemas"]["TemplateVersion"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** TemplatesPush */
        TemplatesPush: components["schemas"]["TemplateListPush"] | components["schemas"]["SingleTemplatePush"];
        /** Text */
        Text: {
            /** Format: uuid */
            id: string;
            /**
             * @description The statuses of logs, and `scheduled` and `cancelled`. `opted_out` and `suppressed`: the number may not be texted, see `reason`.
             * @enum {string}
             */
            status: "scheduled" | "cancelled" | "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
            /** @description Null if the person was erased. */
            to: string | null;
            senderId: string | null;
            /** @description Reason why it was not sent, of an open set. */
            reason: string | null;
            error: string | null;
            /** @description The provider’s message id. */
            messageId: string | null;
            /** @description Parts of the text, which the provider charges: 160 characters alone and 153 in each of several, with any character outside of the GSM alphabet 70 and 67. */
            parts: number | null;
            /** Format: uuid */
            cloudAccountId: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            sentAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
            /** Format: date-time */
            bouncedAt: string | null;
            /**
             * Format: date-time
             * @description Null once its time has come.
             */
            scheduledFor: string | null;
            /**
             * Format: date-time
             * @description Null if the body cannot be read.
             */
            bodyKeptUntil: string | null;
            waitingForOutcome: components["schemas"]["TextWaitingForOutcome"];
        };
        /** TextAccepted */
        TextAccepted: {
            /** Format: uuid */
            id: string;
            /**
             * @description The statuses of logs, and `scheduled` and `cancelled`. `opted_out` and `suppressed`: the number may not be texted, see `reason`.
             * @enum {string}
             */
            status: "scheduled" | "cancelled" | "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
            /** @description Parts of the text, which the provider charges: 160 characters alone and 153 in each of several, with any character outside of the GSM alphabet 70 and 67. */
            parts: number;
        };
        /** TextBody */
        TextBody: {
            body: string;
        };
        /** TextInput */
        TextInput: {
            /** @description One telephone number with its country code. */
            to: string;
            /** @description Sent unchanged: `{{ … }}` in it is text. At most 10 parts. */
            body: string;
            /** @description The number, pool or sender id of the account that sends the text, or its ARN. Required: without one, the provider would choose among all numbers of the account. */
            senderId: string;
            /**
             * Format: date-time
             * @description When to send it, at most 30 days ahead. A time that has just passed means at once.
             */
            scheduledFor?: string;
            /** @description `true`, the default: the body is stored encrypted and can be read for 7 days (`/v1/sms/{id}/body`). `false`: it is deleted once the text is sent. */
            retainBody?: boolean;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string;
        };
        /** TextLog */
        TextLog: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
            recipient: string | null;
            senderId: string | null;
            /** @description Reason why it was not sent, of an open set. */
            reason: string | null;
            error: string | null;
            /** @description The provider’s message id. */
            messageId: string | null;
            /** @description Parts of the text, which the provider charges: 160 characters alone and 153 in each of several, with any character outside of the GSM alphabet 70 and 67. */
            parts: number | null;
            /** Format: uuid */
            cloudAccountId: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            sentAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
            /** Format: date-time */
            bouncedAt: string | null;
            region: string | null;
        };
        /** TextLogList */
        TextLogList: {
            logs: components["schemas"]["TextLog"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** TextPatch */
        TextPatch: {
            /**
             * Format: date-time
             * @description When to send it, at most 30 days ahead. A time that has just passed means at once.
             */
            scheduledFor: string;
        };
        /**
         * TextWaitingForOutcome
         * @description The call was interrupted: the provider may have accepted the text. It is never sent again. The provider’s events decide, and after 25 hours without one it has failed.
         */
        TextWaitingForOutcome: {
            /** Format: date-time */
            since: string;
        } | null;
        /** TlsRptReport */
        TlsRptReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["TlsRptReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** TlsRptReportDetails */
        TlsRptReportDetails: {
            record: string | null;
            rua: string[];
        };
        /** ToolCheck */
        ToolCheck: {
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            summary: string;
        };
        /** ToolFinding */
        ToolFinding: {
            /** @description A stable snake_case word. New ones may be added. */
            code: string;
            /**
             * @description `info` does not change the verdict.
             * @enum {string}
             */
            severity: "pass" | "warning" | "fail" | "unknown" | "info";
            message: string;
            /** @description The next step, in one sentence. Null if there is nothing to do. */
            fix: string | null;
        };
        /** ToolRecord */
        ToolRecord: {
            name: string;
            /**
             * @description Type of the record. `HTTPS` is the content of the fetched address in `name`.
             * @enum {string}
             */
            type: "A" | "AAAA" | "CNAME" | "MX" | "PTR" | "TXT" | "HTTPS";
            /**
             * @description `empty`: the name exists, but has no record of this type. `no_name`: the name does not exist. `failed`: no answer.
             * @enum {string}
             */
            status: "found" | "empty" | "no_name" | "failed";
            /** @description At most 20 values, each cut at 4,096 characters. */
            values: string[];
        };
        /** Topic */
        Topic: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            description: string | null;
            /** @description If `true`, contacts receive a confirmation email and are subscribed after they confirm it. */
            doubleOptIn: boolean;
            /** @description If `true`, the topic is shown on the preferences page. */
            public: boolean;
            /**
             * Format: uuid
             * @description Template of the confirmation email. Null for the default email.
             */
            templateId: string | null;
            /** @description Sender address of the confirmation email. */
            from: string | null;
            fromName: string | null;
            /**
             * Format: uuid
             * @description Connected account that sends the confirmation email.
             */
            cloudAccountId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Number of subscribed contacts. */
            subscribedCount: number;
            /** @description Number of contacts that have not confirmed yet. */
            pendingCount: number;
            /** @description `false` if one of the two counts is higher than reported. */
            countsAreExact: boolean;
        };
        /** TopicInput */
        TopicInput: {
            name: string;
            slug?: string;
            description?: string | null;
            doubleOptIn?: boolean;
            public?: boolean;
            /** @description A published template that declares and uses the variable `confirmUrl`. It may also declare `topic` (`topic.name`). */
            templateId?: string | null;
            /**
             * Format: mailbox
             * @description Needed with `doubleOptIn`. An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from?: string | null;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string | null;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string | null;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string | null;
        };
        /** TopicList */
        TopicList: {
            data: components["schemas"]["TopicSummary"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** TopicPatch */
        TopicPatch: {
            name?: string;
            slug?: string;
            description?: string | null;
            doubleOptIn?: boolean;
            public?: boolean;
            /** @description A published template that declares and uses the variable `confirmUrl`. It may also declare `topic` (`topic.name`). */
            templateId?: string | null;
            /**
             * Format: mailbox
             * @description Needed with `doubleOptIn`. An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from?: string | null;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string | null;
            /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Optional if only one account is connected. */
            cloudAccountId?: string | null;
            /** @description Alias of `cloudAccountId`. */
            awsAccountId?: string | null;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
            /** @description Ignored. */
            subscribedCount?: unknown;
            /** @description Ignored. */
            pendingCount?: unknown;
            /** @description Ignored. */
            countsAreExact?: unknown;
        };
        /** TopicSummary */
        TopicSummary: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            description: string | null;
            /** @description If `true`, contacts receive a confirmation email and are subscribed after they confirm it. */
            doubleOptIn: boolean;
            /** @description If `true`, the topic is shown on the preferences page. */
            public: boolean;
            /**
             * Format: uuid
             * @description Template of the confirmation email. Null for the default email.
             */
            templateId: string | null;
            /** @description Sender address of the confirmation email. */
            from: string | null;
            fromName: string | null;
            /**
             * Format: uuid
             * @description Connected account that sends the confirmation email.
             */
            cloudAccountId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /**
         * TriggerBatchInput
         * @description A contact that is listed twice is triggered once, by its first entry.
         */
        TriggerBatchInput: {
            /** @description Each row is checked on its own. An invalid row is reported in `errorDetails`, and all other rows are accepted. */
            contacts: components["schemas"]["TriggerBatchInputContactsItem"][];
            data?: components["schemas"]["TriggerBatchInputData"];
        };
        /** TriggerBatchInputContactsItem */
        TriggerBatchInputContactsItem: {
            contactId?: string;
            /** Format: email */
            contactEmail?: string;
            data?: components["schemas"]["TriggerBatchInputContactsItemData"];
        };
        /**
         * TriggerBatchInputContactsItemData
         * @description Data for conditions and templates of the workflow, as `trigger.data`: at most 32,768 characters as JSON, nested at most 8 levels deep.
         */
        TriggerBatchInputContactsItemData: {
            [key: string]: unknown;
        };
        /**
         * TriggerBatchInputData
         * @description Data for all contacts. Data of a single contact takes precedence.
         */
        TriggerBatchInputData: {
            [key: string]: unknown;
        };
        /** TriggerConfig */
        TriggerConfig: {
            /** @description For `event`: required. */
            eventName?: string;
            filter?: components["schemas"]["Condition"];
            /** @description For `topic_…`. Without it, any topic. If steps of workflows change one topic of a contact repeatedly, a workflow starts at most once a minute. */
            topicId?: string;
            /** @description For `segment_…`: required. For `schedule`: starts only the segment’s members at that time. Without it, every contact is started. */
            segmentId?: string;
            /** @description For `schedule`: minute, hour, day of the month, month, day of the week, as in crontab(5). If both days are restricted, either may match. A day that begins with `*` is not restricted. Without `allowReentry`, a schedule starts each contact only once (warning `starts_once`). */
            cron?: string;
            /** @description For `schedule`: an IANA zone. Default UTC. */
            timezone?: string;
        };
        /** TriggerConfigInput */
        TriggerConfigInput: {
            /** @description For `event`: required. */
            eventName?: string;
            filter?: components["schemas"]["Condition"];
            /** @description For `topic_…`. Without it, any topic. If steps of workflows change one topic of a contact repeatedly, a workflow starts at most once a minute. */
            topicId?: string;
            /** @description For `segment_…`: required. For `schedule`: starts only the segment’s members at that time. Without it, every contact is started. */
            segmentId?: string;
            /** @description For `schedule`: minute, hour, day of the month, month, day of the week, as in crontab(5). If both days are restricted, either may match. A day that begins with `*` is not restricted. Without `allowReentry`, a schedule starts each contact only once (warning `starts_once`). */
            cron?: string;
            /** @description For `schedule`: an IANA zone. Default UTC. */
            timezone?: string;
            /** @description Alias of `eventName`. */
            name?: string;
            /** @description Alternative to `topicId`. */
            topicSlug?: string;
        };
        /**
         * TriggerInput
         * @description `contactId` or `contactEmail` is required. If both are sent, the id is used.
         */
        TriggerInput: {
            contactId?: string;
            /** Format: email */
            contactEmail?: string;
            data?: components["schemas"]["TriggerInputData"];
        };
        /**
         * TriggerInputData
         * @description Data for conditions and templates of the workflow, as `trigger.data`: at most 32,768 characters as JSON, nested at most 8 levels deep.
         */
        TriggerInputData: {
            [key: string]: unknown;
        };
        /** Triggered */
        Triggered: {
            /** @constant */
            success: true;
            /** Format: uuid */
            executionId: string;
            /** Format: uuid */
            workflowId: string;
            workflowName: string;
            /** Format: uuid */
            contactId: string;
            /**
             * @description `paused`: in a delay. `waiting`: for an event.
             * @enum {string}
             */
            status: "pending" | "active" | "paused" | "waiting" | "completed" | "failed" | "cancelled";
        };
        /** TriggeredBatch */
        TriggeredBatch: {
            /** @description `true` if every contact was triggered. */
            success: boolean;
            triggered: number;
            executions: components["schemas"]["TriggeredBatchExecutionsItem"][];
            /** @description Messages of `errorDetails`, for people. */
            errors: string[];
            /** @description Refused rows, in the order of the request. */
            errorDetails: components["schemas"]["RowError"][];
        };
        /** TriggeredBatchExecutionsItem */
        TriggeredBatchExecutionsItem: {
            /** Format: uuid */
            contactId: string;
            /** Format: uuid */
            executionId: string;
        };
        /** UnsubscribeReport */
        UnsubscribeReport: {
            tool: string;
            /** @description The domain, address or mail that was checked, in normalized form. */
            subject: string;
            /**
             * @description `unknown`: a look-up failed or was refused, so there is no result.
             * @enum {string}
             */
            verdict: "pass" | "warning" | "fail" | "unknown";
            /** @description Summary in one sentence. */
            summary: string;
            /** @description Findings, the most urgent first. */
            findings: components["schemas"]["ToolFinding"][];
            /** @description Records that were looked up, and their answers. */
            records: components["schemas"]["ToolRecord"][];
            details: components["schemas"]["UnsubscribeReportDetails"];
            /** @description Number of look-ups, at most 25. */
            lookups: number;
            /** Format: date-time */
            checkedAt: string;
        };
        /** UnsubscribeReportDetails */
        UnsubscribeReportDetails: {
            /** @description Its domain. */
            from: string | null;
            listUnsubscribe: string | null;
            listUnsubscribePost: string | null;
            /** @description Addresses in List-Unsubscribe. The check does not call them. */
            addresses: string[];
            signatures: components["schemas"]["UnsubscribeReportDetailsSignaturesItem"][];
            /** @description `true` if all requirements of RFC 8058 are met. */
            isOneClick: boolean;
        };
        /** UnsubscribeReportDetailsSignaturesItem */
        UnsubscribeReportDetailsSignaturesItem: {
            domain: string;
            selector: string;
            algorithm: string;
            /** @description Covered header fields, in lower case. */
            covers: string[];
            /** @description `true` if the domain belongs to the organization of the From address. */
            isAligned: boolean;
            /** @enum {string} */
            result: "pass" | "fail" | "unknown";
            reason: string | null;
        };
        /**
         * UnsubscribeTopicStep
         * @description Also ends an execution that this topic started.
         */
        UnsubscribeTopicStep: {
            id: string;
            /** @constant */
            type: "unsubscribe_topic";
            name: string;
            config: components["schemas"]["UnsubscribeTopicStepConfig"];
            position?: components["schemas"]["UnsubscribeTopicStepPosition"];
        };
        /** UnsubscribeTopicStepConfig */
        UnsubscribeTopicStepConfig: {
            topicId?: string;
            topicSlug?: string;
        };
        /**
         * UnsubscribeTopicStepPosition
         * @description Position in your editor. It has no effect.
         */
        UnsubscribeTopicStepPosition: {
            x: number;
            y: number;
        };
        /** Unsubscribed */
        Unsubscribed: {
            /** @constant */
            success: true;
            message: string;
        };
        /**
         * UpdateContactStep
         * @description Fields are `firstName`, `lastName` …, and `properties.<key>`. Texts in `set`, `append` and `remove` are Liquid with `contact`, `trigger` and `event`. A single output keeps its type (`{{ trigger.data.total }}` is a number). An output without a value and a `default` fails the step (`missing_value`).
         */
        UpdateContactStep: {
            id: string;
            /** @constant */
            type: "update_contact";
            name: string;
            config: components["schemas"]["UpdateContactStepConfig"];
            position?: components["schemas"]["UpdateContactStepPosition"];
        };
        /** UpdateContactStepConfig */
        UpdateContactStepConfig: {
            set?: components["schemas"]["UpdateContactStepConfigSet"];
            unset?: string[];
            increment?: components["schemas"]["UpdateContactStepConfigIncrement"];
            append?: components["schemas"]["UpdateContactStepConfigAppend"];
            remove?: components["schemas"]["UpdateContactStepConfigRemove"];
        };
        /** UpdateContactStepConfigAppend */
        UpdateContactStepConfigAppend: {
            [key: string]: unknown;
        };
        /** UpdateContactStepConfigIncrement */
        UpdateContactStepConfigIncrement: {
            [key: string]: number;
        };
        /** UpdateContactStepConfigRemove */
        UpdateContactStepConfigRemove: {
            [key: string]: unknown;
        };
        /** UpdateContactStepConfigSet */
        UpdateContactStepConfigSet: {
            [key: string]: unknown;
        };
        /**
         * UpdateContactStepPosition
         * @description Position in your editor. It has no effect.
         */
        UpdateContactStepPosition: {
            x: number;
            y: number;
        };
        /** ValidateAddressInput */
        ValidateAddressInput: {
            address: string;
        };
        /**
         * WaitForEmailEngagementStep
         * @description Branches: the `events` and `timeout`. Earlier engagements with the mail count.
         */
        WaitForEmailEngagementStep: {
            id: string;
            /** @constant */
            type: "wait_for_email_engagement";
            name: string;
            config: components["schemas"]["WaitForEmailEngagementStepConfig"];
            position?: components["schemas"]["WaitForEmailEngagementStepPosition"];
        };
        /** WaitForEmailEngagementStepConfig */
        WaitForEmailEngagementStepConfig: {
            stepId: string;
            events: ("opened" | "clicked" | "bounced")[];
            timeout: components["schemas"]["Duration"];
        };
        /**
         * WaitForEmailEngagementStepPosition
         * @description Position in your editor. It has no effect.
         */
        WaitForEmailEngagementStepPosition: {
            x: number;
            y: number;
        };
        /**
         * WaitForEventStep
         * @description Branches: `yes` and `timeout`. Takes the earliest event since the last delay or wait before it, or since the start of the execution, that no other wait took. Otherwise it waits for the next one. Other steps take no time, so events that arrive while they run count. Values in `filter` are Liquid with `contact`, `trigger` and `event`, rendered when the wait begins: `{"field": "event.properties.cartId", "operator": "equals", "value": "{{ trigger.data.cartId }}"}`.
         */
        WaitForEventStep: {
            id: string;
            /** @constant */
            type: "wait_for_event";
            name: string;
            config: components["schemas"]["WaitForEventStepConfig"];
            position?: components["schemas"]["WaitForEventStepPosition"];
        };
        /** WaitForEventStepConfig */
        WaitForEventStepConfig: {
            eventName: string;
            filter?: components["schemas"]["Condition"];
            timeout: components["schemas"]["Duration"];
        };
        /**
         * WaitForEventStepPosition
         * @description Position in your editor. It has no effect.
         */
        WaitForEventStepPosition: {
            x: number;
            y: number;
        };
        /** Warning */
        Warning: {
            /** @description A stable snake_case word. New ones may be added. */
            reason: string;
            /** @description Path of the input field. */
            path: string;
            message: string;
        };
        /** WebhookAnswer */
        WebhookAnswer: {
            /** @enum {string} */
            status: "processed" | "duplicate" | "ignored";
            reason?: string;
        };
        /** WebhookDelivery */
        WebhookDelivery: {
            /** Format: uuid */
            id: string;
            /** @description Id of the event, which is the header `webhook-id` of each of its calls. */
            eventId: string;
            /** @enum {string} */
            type: "contact.created" | "contact.updated" | "contact.deleted" | "contact.unsubscribed" | "topic.subscribed" | "topic.unsubscribed" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.suppressed" | "email.failed" | "batch.completed" | "batch.failed" | "batch.paused" | "batch.cancelled" | "execution.completed" | "execution.failed";
            /**
             * @description `failed`: no call succeeded within 72 hours. `cancelled`: it is not called any more, since what it is about is gone, or since held events were dropped.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "cancelled";
            attempts: number;
            isTest: boolean;
            /** Format: date-time */
            occurredAt: string;
            /**
             * Format: date-time
             * @description Time of the next call. It may come later while the endpoint keeps failing.
             */
            nextTryAt: string | null;
            /** @description The last 12 calls, oldest first. */
            tries: components["schemas"]["WebhookDeliveryTriesItem"][];
            /** @description The first 500 characters of the last answer, if that was no success. */
            answer: string | null;
        };
        /** WebhookDeliveryList */
        WebhookDeliveryList: {
            data: components["schemas"]["WebhookDelivery"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** WebhookDeliveryTriesItem */
        WebhookDeliveryTriesItem: {
            /** Format: date-time */
            at: string;
            /** @description HTTP status of the answer. */
            status: number | null;
            ms: number;
            /** @description Why the call failed. */
            error: string | null;
        };
        /** WebhookEndpoint */
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            eventTypes: ("contact.created" | "contact.updated" | "contact.deleted" | "contact.unsubscribed" | "topic.subscribed" | "topic.unsubscribed" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.suppressed" | "email.failed" | "batch.completed" | "batch.failed" | "batch.paused" | "batch.cancelled" | "execution.completed" | "execution.failed")[];
            sources: ("batch" | "workflow" | "transactional" | "confirmation")[] | null;
            /** @description Calls that may be under way at once. With 1, events arrive mostly in order, but a retry comes later than its successors. */
            maxInFlight: number;
            enabled: boolean;
            /** @description `requested`: disabled by a caller. `failing`: no call succeeded for 72 hours. `gone`: it answered 410. */
            disabledReason: string | null;
            /** Format: date-time */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description Time of the first failed call since the last one that succeeded.
             */
            failingSince: string | null;
            /** Format: date-time */
            lastSuccessAt: string | null;
            /**
             * Format: date-time
             * @description While calls keep failing, the endpoint is not called before this time.
             */
            nextTryAt: string | null;
            /** @description Deliveries that wait, counted up to 10,000. */
            pending: number;
            last24Hours: components["schemas"]["WebhookEndpointLast24Hours"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** WebhookEndpointInput */
        WebhookEndpointInput: {
            /** @description Address of the receiver. It must begin with `https://` and be on the public internet. */
            url: string;
            description?: string | null;
            /** @description Types of the events that the endpoint receives. There is no word for all. */
            eventTypes: ("contact.created" | "contact.updated" | "contact.deleted" | "contact.unsubscribed" | "topic.subscribed" | "topic.unsubscribed" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.suppressed" | "email.failed" | "batch.completed" | "batch.failed" | "batch.paused" | "batch.cancelled" | "execution.completed" | "execution.failed")[];
            /** @description Receives `email.*` events of mail from these sources only. Null: from any source. */
            sources?: ("batch" | "workflow" | "transactional" | "confirmation")[] | null;
            /** @description Calls that may be under way at once. With 1, events arrive mostly in order, but a retry comes later than its successors. */
            maxInFlight?: number;
        };
        /** WebhookEndpointLast24Hours */
        WebhookEndpointLast24Hours: {
            delivered: number;
            failedCalls: number;
        };
        /** WebhookEndpointList */
        WebhookEndpointList: {
            data: components["schemas"]["WebhookEndpoint"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** WebhookEndpointPatch */
        WebhookEndpointPatch: {
            /** @description Address of the receiver. It must begin with `https://` and be on the public internet. */
            url?: string;
            description?: string | null;
            /** @description Types of the events that the endpoint receives. There is no word for all. */
            eventTypes?: ("contact.created" | "contact.updated" | "contact.deleted" | "contact.unsubscribed" | "topic.subscribed" | "topic.unsubscribed" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.suppressed" | "email.failed" | "batch.completed" | "batch.failed" | "batch.paused" | "batch.cancelled" | "execution.completed" | "execution.failed")[];
            /** @description Receives `email.*` events of mail from these sources only. Null: from any source. */
            sources?: ("batch" | "workflow" | "transactional" | "confirmation")[] | null;
            /** @description Calls that may be under way at once. With 1, events arrive mostly in order, but a retry comes later than its successors. */
            maxInFlight?: number;
            enabled?: boolean;
            /**
             * @description What happens to events that were held while the endpoint was disabled, when `enabled` becomes true. Defaults to `send`.
             * @enum {string}
             */
            held?: "send" | "drop";
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            disabledReason?: unknown;
            /** @description Ignored. */
            disabledAt?: unknown;
            /** @description Ignored. */
            failingSince?: unknown;
            /** @description Ignored. */
            lastSuccessAt?: unknown;
            /** @description Ignored. */
            nextTryAt?: unknown;
            /** @description Ignored. */
            pending?: unknown;
            /** @description Ignored. */
            last24Hours?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
        };
        /** WebhookReplay */
        WebhookReplay: {
            /** @description Deliveries that are queued again. */
            replayed: number;
            /** @description There are more than were queued. Repeat the call to queue the next ones. */
            more: boolean;
        };
        /** WebhookReplayInput */
        WebhookReplayInput: {
            /**
             * Format: date-time
             * @description Deliveries that were written at or after this time.
             */
            since: string;
            /**
             * Format: date-time
             * @description And before this time. Defaults to now.
             */
            until?: string;
            /** @description Defaults to `failed`. */
            states?: ("failed" | "delivered" | "cancelled")[];
        };
        /** WebhookSecret */
        WebhookSecret: {
            /** @constant */
            success: true;
            /** @description Verifies the signature of each call (Standard Webhooks). It is returned only once, and is null in a replayed response. */
            secret: string | null;
            /** Format: date-time */
            previousSecretUntil: string;
        };
        /**
         * WebhookStep
         * @description Branches: `success` and `failure`. Without a `failure` branch, a call that fails permanently fails the execution. Requests are signed as in Standard Webhooks.
         */
        WebhookStep: {
            id: string;
            /** @constant */
            type: "webhook";
            name: string;
            config: components["schemas"]["WebhookStepConfig"];
            position?: components["schemas"]["WebhookStepPosition"];
        };
        /** WebhookStepConfig */
        WebhookStepConfig: {
            url: string;
            /** @enum {string} */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            headers?: components["schemas"]["WebhookStepConfigHeaders"];
            /** @description Body with Liquid. */
            body?: string;
            timeoutSeconds?: number;
        };
        /**
         * WebhookStepConfigHeaders
         * @description Write-only. Values are returned as `***`. Send `***` to keep a value, as long as `url` has the same scheme, host and port.
         */
        WebhookStepConfigHeaders: {
            [key: string]: string;
        };
        /**
         * WebhookStepPosition
         * @description Position in your editor. It has no effect.
         */
        WebhookStepPosition: {
            x: number;
            y: number;
        };
        /** WebhookTest */
        WebhookTest: {
            /** Format: uuid */
            deliveryId: string;
        };
        /** WebhookTestInput */
        WebhookTestInput: {
            /**
             * @description Type of the sample event. Defaults to the first type of the endpoint.
             * @enum {string}
             */
            type?: "contact.created" | "contact.updated" | "contact.deleted" | "contact.unsubscribed" | "topic.subscribed" | "topic.unsubscribed" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.suppressed" | "email.failed" | "batch.completed" | "batch.failed" | "batch.paused" | "batch.cancelled" | "execution.completed" | "execution.failed";
        } | null;
        /** WinnerInput */
        WinnerInput: {
            /** @description Name of the variant. */
            variant: string;
        };
        /** Workflow */
        Workflow: {
            /** Format: uuid */
            id: string;
            slug: string;
            name: string;
            description: string | null;
            enabled: boolean;
            /** @description The newest version. New executions use it, running ones keep theirs. */
            version: number;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            stats: components["schemas"]["FlowStats"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the workflow was last pushed. Null: never.
             */
            pushedAt: string | null;
            scheduleFailure: components["schemas"]["ScheduleFailure"];
            triggerConfig: components["schemas"]["TriggerConfig"];
            steps: components["schemas"]["FlowStep"][];
            transitions: components["schemas"]["FlowTransition"][];
            settings: components["schemas"]["FlowSettings"];
        };
        /**
         * WorkflowDefaults
         * @description Sender of mails whose step has none. It is written into the steps.
         */
        WorkflowDefaults: {
            /**
             * Format: mailbox
             * @description An email address, alone or as `Name <address>`. Quote a name that contains punctuation: `"Lee, Ann" <ann@example.com>`. Responses return the address as `from` and the name as `fromName`.
             */
            from?: string;
            /** @description Name of the sender. If `from` also contains a name, both must be equal. */
            fromName?: string;
            /** Format: email */
            replyTo?: string;
            /** @description Ignored. */
            senderId?: unknown;
        };
        /** WorkflowInput */
        WorkflowInput: {
            name: string;
            slug?: string;
            description?: string | null;
            /** @description Defaults to `false`. */
            enabled?: boolean;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            triggerConfig?: components["schemas"]["TriggerConfigInput"];
            steps: components["schemas"]["FlowStep"][];
            transitions?: components["schemas"]["FlowTransitionInput"][];
            settings?: components["schemas"]["FlowSettingsInput"];
        };
        /** WorkflowList */
        WorkflowList: {
            data: components["schemas"]["WorkflowSummary"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** WorkflowListPush */
        WorkflowListPush: {
            workflows: components["schemas"]["PushedWorkflow"][];
            /** @description Set to `true` to overwrite edits made here. */
            force?: boolean;
            /** @description Set to `true` to check the request without changing anything. */
            dryRun?: boolean;
            /** @description Ignored. */
            nextCursor?: unknown;
        };
        /**
         * WorkflowOperation
         * @description An operation on many executions of a workflow, and its progress.
         */
        WorkflowOperation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workflowId: string;
            /**
             * @description What the operation does to the executions.
             * @enum {string}
             */
            kind: "cancel" | "retry";
            /** @enum {string} */
            status: "running" | "completed";
            /** @description Number of executions when the operation was requested. */
            total: number;
            /** @description `false` if there were more executions than `total`. */
            totalIsExact: boolean;
            /** @description Executions that are done. */
            done: number;
            /** @description Failed executions that could not be retried, because the newest version has no such step or they are no longer failed. */
            skipped: number;
            /**
             * @description `newest` continues permanently with the newest version of the workflow, if it has the failed step. Completed steps are not repeated. By default, the execution continues with its own version.
             * @enum {string|null}
             */
            version: "newest" | null;
            /** @description Only executions that failed at this step. */
            stepId: string | null;
            /**
             * Format: date-time
             * @description Only executions that failed since this time.
             */
            failedSince: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            completedAt: string | null;
        };
        /** WorkflowOperationList */
        WorkflowOperationList: {
            data: components["schemas"]["WorkflowOperation"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** WorkflowPatch */
        WorkflowPatch: {
            name?: string;
            slug?: string;
            description?: string | null;
            /** @description Defaults to `false`. */
            enabled?: boolean;
            /** @enum {string} */
            triggerType?: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            triggerConfig?: components["schemas"]["TriggerConfigInput"];
            steps?: components["schemas"]["FlowStep"][];
            transitions?: components["schemas"]["FlowTransitionInput"][];
            settings?: components["schemas"]["FlowSettingsInput"];
            /**
             * Format: date-time
             * @description The `updatedAt` of the version that you read. If the workflow has changed since, the request fails with 409.
             */
            ifUnmodifiedSince?: string;
            /** @description Ignored. */
            id?: unknown;
            /** @description Ignored. */
            version?: unknown;
            /** @description Ignored. */
            stats?: unknown;
            /** @description Ignored. */
            createdAt?: unknown;
            /** @description Ignored. */
            updatedAt?: unknown;
            /** @description Ignored. */
            pushedAt?: unknown;
            /** @description Ignored. */
            scheduleFailure?: unknown;
            /** @description Ignored. */
            warnings?: unknown;
            /** @description Ignored. */
            operation?: unknown;
        };
        /** WorkflowPull */
        WorkflowPull: {
            workflows: components["schemas"]["PulledWorkflow"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /** WorkflowPush */
        WorkflowPush: components["schemas"]["WorkflowListPush"] | components["schemas"]["SingleWorkflowPush"];
        /** WorkflowPushResult */
        WorkflowPushResult: {
            /** @constant */
            success: true;
            dryRun: boolean;
            results: components["schemas"]["WorkflowPushed"][];
            /** @description Present only if there are warnings. `sender_not_checked`: the account did not report whether a sender is verified. `workflow_ring`: workflows start each other without end. `starts_once`: a schedule without `allowReentry` starts each contact only once. */
            warnings?: components["schemas"]["Warning"][];
        };
        /** WorkflowPushed */
        WorkflowPushed: {
            slug: string;
            /**
             * Format: uuid
             * @description Null if the workflow would be created.
             */
            id: string | null;
            /** @enum {string} */
            outcome: "created" | "updated" | "unchanged";
            version: number;
        };
        /** WorkflowSecret */
        WorkflowSecret: {
            /** @constant */
            success: true;
            /** @description The new signing secret. It is returned only once, and is null in a replayed response. */
            webhookSecret: string | null;
            /**
             * Format: date-time
             * @description Until this time, webhooks are also signed with the previous secret.
             */
            previousSecretUntil: string;
        };
        /** WorkflowStepCount */
        WorkflowStepCount: {
            /** @description Null: executions that have not reached a step yet. */
            stepId: string | null;
            /** @description Unfinished executions that are at this step. */
            live: number;
            /** @description Failed executions that a retry resumes at this step. */
            failed: number;
        };
        /** WorkflowStepCounts */
        WorkflowStepCounts: {
            data: components["schemas"]["WorkflowStepCount"][];
            /** @description `false` if there are more executions than were counted. */
            countsAreExact: boolean;
        };
        /** WorkflowSummary */
        WorkflowSummary: {
            /** Format: uuid */
            id: string;
            slug: string;
            name: string;
            description: string | null;
            enabled: boolean;
            /** @description The newest version. New executions use it, running ones keep theirs. */
            version: number;
            /** @enum {string} */
            triggerType: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            stats: components["schemas"]["FlowStats"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the workflow was last pushed. Null: never.
             */
            pushedAt: string | null;
            scheduleFailure: components["schemas"]["ScheduleFailure"];
        };
        /** WorkflowVersion */
        WorkflowVersion: {
            version: number;
            /** Format: date-time */
            createdAt: string;
        };
        /** WorkflowVersionList */
        WorkflowVersionList: {
            data: components["schemas"]["WorkflowVersion"][];
            /** @description Cursor of the next page. Null on the last page. */
            nextCursor: string | null;
        };
    };
    responses: {
        /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
        BadRequest: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource does not allow the request, the resource is a duplicate or was changed meanwhile, or a request with the same Idempotency-Key is still running */
        Conflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The resource belongs to another organization, or the key lacks the scope */
        Forbidden: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Unexpected failure. Retry with backoff */
        InternalError: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The resource or route does not exist */
        NotFound: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body is too large */
        PayloadTooLarge: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The organization’s plan lacks the feature or allows no more of it */
        PaymentRequired: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Too many requests. See Retry-After */
        RateLimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Address and headers of the request are too large together */
        RequestHeaderFieldsTooLarge: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
        ResendBadRequest: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The state of the resource does not allow the request, the resource is a duplicate or was changed meanwhile, or a request with the same Idempotency-Key is still running */
        ResendConflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The resource belongs to another organization, or the key lacks the scope */
        ResendForbidden: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description Unexpected failure. Retry with backoff */
        ResendInternalError: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The resource or route does not exist */
        ResendNotFound: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The body is too large */
        ResendPayloadTooLarge: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The organization’s plan lacks the feature or allows no more of it */
        ResendPaymentRequired: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description Too many requests. See Retry-After */
        ResendRateLimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description Address and headers of the request are too large together */
        ResendRequestHeaderFieldsTooLarge: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description Credentials are missing, malformed, revoked or expired */
        ResendUnauthorized: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description Temporarily unavailable. See Retry-After */
        ResendUnavailable: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The media type is not supported */
        ResendUnsupportedMediaType: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The address of the request is too long */
        ResendUriTooLong: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description The body does not match the schema, or the Idempotency-Key was used for another request */
        ResendValidationFailed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ResendError"];
            };
        };
        /** @description Credentials are missing, malformed, revoked or expired */
        Unauthorized: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Temporarily unavailable. See Retry-After */
        Unavailable: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The media type is not supported */
        UnsupportedMediaType: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The address of the request is too long */
        UriTooLong: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body does not match the schema, or the Idempotency-Key was used for another request */
        ValidationFailed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
    };
    parameters: {
        /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Id of the request: the one that you sent if it is valid, otherwise a new one. */
        "x-request-id": string;
        /** @description Requests permitted in the window closest to exhaustion. */
        "RateLimit-Limit": number;
        /** @description Requests left in that window. */
        "RateLimit-Remaining": number;
        /** @description Seconds until that window is free again. */
        "RateLimit-Reset": number;
        /** @description All policies that apply, as `<limit>;w=<seconds>`, separated by commas. */
        "RateLimit-Policy": string;
        /** @description Older name of `RateLimit-Limit`. */
        "X-RateLimit-Limit": number;
        /** @description Older name of `RateLimit-Remaining`. */
        "X-RateLimit-Remaining": number;
        /** @description Missing credentials or scopes (RFC 6750). */
        "WWW-Authenticate": string;
        /** @description Seconds to wait before the next try. A 409 has it only if a retry may succeed. */
        "Retry-After": number;
        /** @description `true`: the response is that of the first request with this `Idempotency-Key`. */
        "Idempotency-Replayed": "true";
        /** @description Monthly limit of events in your plan. -1: unlimited. */
        "X-Event-Limit": number;
        /** @description Events accepted this month (UTC). */
        "X-Event-Current": number;
        /** @description Events left until the limit. Another 25 % are accepted. -1: unlimited. */
        "X-Event-Remaining": number;
        /** @description Percentage of the limit that is used, rounded down. */
        "X-Event-Percent": number;
        /** @description `true`: events are refused until the first day of next month (UTC). */
        "X-Event-Exceeded": "true" | "false";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    renameApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description Returns only events of this action. */
                action?: string;
                /** @description Returns only events of this API key or person. */
                actorId?: string;
                /** @description Returns only events on or after this day or time. */
                from?: string | unknown | unknown;
                /** @description Returns only events until the end of this day, or until this time. */
                to?: string | unknown | unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Login"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    switchOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwitchInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SwitchedSession"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    showInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The link was replaced or has expired */
            410: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptanceInput"];
                "application/x-www-form-urlencoded": components["schemas"]["AcceptanceInput"];
            };
        };
        responses: {
            /** @description Accepted. The person can log in now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The state of the resource does not allow the request, the resource is a duplicate or was changed meanwhile, or a request with the same Idempotency-Key is still running */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The link was replaced or has expired */
            410: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The media type is not supported */
            415: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The body does not match the schema, or the Idempotency-Key was used for another request */
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberInput"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOrganizationHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationHealth"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAccountHealth: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a connection. */
                cloudAccountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountHealthRecord"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listConnections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    registerConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description `accountId` or its alias is required. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredConnection"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    disconnectConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getConnectionSetup: {
        parameters: {
            query: {
                /** @description Tool that the file is made for. */
                format: "cloudformation" | "terraform";
                /** @description How delivery events are delivered: `queue`, which Letterloom polls, or `webhook`, which EventBridge calls. */
                events?: "queue" | "webhook";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CloudFormation template (JSON), or a Terraform file (HCL) */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetConnectionSetupAnswer"];
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionVerification"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    recheckConsolePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The `id` of a connection. */
                cloudAccountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolePolicyReading"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Without it, all accounts are used. */
                cloudAccountId?: string;
                /** @description Alias of `cloudAccountId`. */
                awsAccountId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendingIdentityList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDomain: {
        parameters: {
            query?: {
                /** @description The `id` of a connection, or the 12 digits of an AWS account that has exactly one connection. Without it, all accounts are used. */
                cloudAccountId?: string;
                /** @description Alias of `cloudAccountId`. */
                awsAccountId?: string;
            };
            header?: never;
            path: {
                /** @description A domain or an email address. */
                identity: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendingIdentity"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            /** @description No account can be called. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendingIdentityUnavailable"];
                };
            };
        };
    };
    listSegments: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description Number of rows to skip. */
                offset?: number;
                /** @description Part of the name. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SegmentInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SegmentPreviewInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentPreview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSegment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SegmentPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSegmentMembers: {
        parameters: {
            query?: {
                /** @description Number of the page, starting at 1. */
                page?: number;
                /** @description Maximum number of rows in a page. */
                pageSize?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentMemberList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pauseBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    chooseWinner: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WinnerInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    duplicateBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchDuplicate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryFailedBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBatchDrafts: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDraftList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createBatchDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchDraftInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDraft"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBatchDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDraft"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteBatchDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateBatchDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchDraftPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDraft"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBatchReasons: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchReasonList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBatchReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchReport"];
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBatches: {
        parameters: {
            query?: {
                /** @description Number of the page, starting at 1. */
                page?: number;
                /** @description Maximum number of rows in a page. */
                pageSize?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description One or several, comma-separated: queued, scheduled, processing, completed, failed, cancelled. */
                status?: string;
                channel?: "email" | "sms";
                /** @description Part of a name or subject. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Content is either `templateId` or `htmlContent`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchPreviewInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchPreview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBatchRecipients: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                offset?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                status?: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out" | "cancelled";
                /** @description Only those with this `reason`: see `GET /v1/batch/{id}/reasons`. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    resumeBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    discardBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBatchClicks: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkClickList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTemplateClicks: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkClickList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    showConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The link was replaced or has expired */
            410: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    confirmSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Subscribed. Repeated requests get the same response. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmed"];
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The link was replaced or has expired */
            410: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    showPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    savePreferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        /** @description Send `topics`, the scope `all`, or `texts`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreferencesInput"];
                "application/x-www-form-urlencoded": components["schemas"]["PreferencesInput"];
            };
        };
        responses: {
            /** @description Saved */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferencesSaved"];
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The media type is not supported */
            415: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The body does not match the schema, or the Idempotency-Key was used for another request */
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description `email` (default): addresses. `sms`: phone numbers. */
                channel?: "email" | "sms";
                reason?: "unsubscribed" | "bounced" | "suppressed" | "complained" | "opted_out" | "invalid";
                /** @description The complete email address. */
                email?: string;
                /** @description The complete phone number. Implies the channel `sms`. */
                phone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    suppressAddress: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description `email` or `phone` is required. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuppressionInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The email address, or the phone number. */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTopics: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopicList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTopic: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Topic"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    showUnsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in the email. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unsubscribed. Repeated requests get the same response. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unsubscribed"];
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    upsertContacts: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactBatchInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactBatchResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listContacts: {
        parameters: {
            query?: {
                /** @description Number of the page, starting at 1. */
                page?: number;
                /** @description Maximum number of rows in a page. */
                pageSize?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                emailStatus?: "active" | "unsubscribed" | "bounced" | "suppressed" | "complained";
                smsStatus?: "pending_consent" | "opted_in" | "opted_out" | "invalid";
                preferredChannel?: "email" | "sms";
                /** @description Part of an email address or a phone number. One or two letters match the beginning of the address, its domain or the number. */
                search?: string;
                /** @description Returns only contacts that are subscribed to this topic. */
                topicId?: string;
                /** @description Returns only contacts in this segment. Requires a paid plan. */
                segmentId?: string;
                createdAfter?: string;
                updatedAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createContact: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description `email` or `phone` is required. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteContacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactsDeletion"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactsDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getContact: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceContact: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description Fields that are not sent are cleared, but statuses stay. With `topicIds` or `topicSlugs`, the topics of the contact are replaced. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactReplacement"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteContact: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    patchContact: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description Only the fields that are sent change. Send null to clear a field. `properties` are merged, and a null value removes a key. Topics are added. A null status is ignored. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceContactTopics: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description All topics of the contact. `topicIds` or `topicSlugs` is required. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactTopicsInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contact"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportContacts: {
        parameters: {
            query?: {
                /** @description Defaults to `csv`. */
                format?: "csv" | "ndjson";
                emailStatus?: "active" | "unsubscribed" | "bounced" | "suppressed" | "complained";
                smsStatus?: "pending_consent" | "opted_in" | "opted_out" | "invalid";
                preferredChannel?: "email" | "sms";
                /** @description Part of an email address or a phone number. One or two letters match the beginning of the address, its domain or the number. */
                search?: string;
                /** @description Returns only contacts that are subscribed to this topic. */
                topicId?: string;
                /** @description Returns only contacts in this segment. Requires a paid plan. */
                segmentId?: string;
                createdAfter?: string;
                updatedAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    importContacts: {
        parameters: {
            query?: {
                /** @description Format of the file. Defaults to the media type, or to the file name. */
                format?: "csv" | "ndjson";
                /** @description What to do with a contact that exists. Defaults to `update`. */
                onDuplicate?: "update" | "skip";
                /** @description For CSV: a JSON object from column names to fields: `{"E-Mail": "email", "Plan": "properties.plan", "Notes": null}`. Null ignores a column. Other columns are matched by their name: a known field, else a property. */
                mapping?: string;
                /** @description For CSV: the separator of cells. Defaults to `,`. */
                delimiter?: "," | ";" | "|" | "\t";
                /** @description Set to `true` to report the result of each row without changing anything. */
                dryRun?: "true" | "false";
                /** @description Set to `true` if these people asked to receive email again. `active` then resubscribes contacts who unsubscribed. */
                resubscribe?: "true" | "false";
                /** @description Topics for all rows: ids with commas between them. */
                topicIds?: string;
                /** @description Topics for all rows: slugs with commas between them. */
                topicSlugs?: string;
            };
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": unknown;
                "application/x-ndjson": unknown;
                "multipart/form-data": unknown;
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getImportErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TemplatePreviewInput"];
            };
        };
        responses: {
            /** @description The mail, or the reason why there is none */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatePreview"];
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pushTemplates: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplatesPush"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatePushResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pushTemplateBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateBatchPush"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateBatchPushResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pullTemplates: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description Returns only the template with this slug. */
                slug?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatePull"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    publishTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PublishInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedTemplate"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    duplicateTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DuplicateInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                status?: "DRAFT" | "PUBLISHED" | "ARCHIVED";
                /** @description Part of the name or the slug. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedTemplate"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTemplate: {
        parameters: {
            query?: {
                /** @description A published version. By default, what the template says now. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplatePatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTemplateVersions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateVersionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getEmailCheck: {
        parameters: {
            query?: {
                /** @description DKIM selector, the `s=` of the DKIM-Signature header. */
                selector?: string;
            };
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckEmailInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSpfCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpfReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkSpf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckSpfInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpfReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDkimCheck: {
        parameters: {
            query?: {
                /** @description DKIM selector, the `s=` of the DKIM-Signature header. */
                selector?: string;
            };
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DkimReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkDkim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckDkimInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DkimReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBimiCheck: {
        parameters: {
            query?: {
                /** @description BIMI selector, the `s=` of the BIMI-Selector header. Defaults to `default`. */
                selector?: string;
            };
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BimiReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkBimi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckBimiInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BimiReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDmarcCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DmarcReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runDmarcCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunDmarcCheckInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DmarcReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMxCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MxReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runMxCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunMxCheckInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MxReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMtaStsCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MtaStsReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runMtaStsCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunMtaStsCheckInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MtaStsReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTlsRptCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A domain. An email address or a web address is reduced to its domain. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TlsRptReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runTlsRptCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunTlsRptCheckInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TlsRptReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBlocklistCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A domain or an IP address. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlocklistReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runBlocklistCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunBlocklistCheckInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlocklistReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReverseDnsCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A domain or an IP address. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReverseDnsReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runReverseDnsCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunReverseDnsCheckInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReverseDnsReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    validateAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateAddressInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    analyzeHeaders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnalyzeHeadersInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeaderReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkUnsubscribeMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckUnsubscribeMailInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsubscribeReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    generateDmarc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerateDmarcInput"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DmarcRecordReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    showTools: {
        parameters: {
            query?: {
                /** @description Which tool; absent: email-check. */
                tool?: string;
                /** @description What is checked. */
                domain?: string;
                /** @description Of DKIM. */
                selector?: string;
                /** @description Of SPF. */
                ip?: string;
                /** @description Of the DMARC generator. */
                policy?: string;
                /** @description Of the DMARC generator. */
                rua?: string;
                /** @description What stands in the form without being checked. */
                fill?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    postTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PostToolsInput"];
                "application/x-www-form-urlencoded": components["schemas"]["PostToolsInput"];
            };
        };
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The media type is not supported */
            415: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description The body does not match the schema, or the Idempotency-Key was used for another request */
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Too many requests. See Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                    "text/html": string;
                };
            };
        };
    };
    receiveSesEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The 12 digits of the AWS account. */
                accountNumber: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventEnvelope"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEmailLogs: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                status?: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
                recipient?: string;
                batchId?: string;
                executionId?: string;
                templateId?: string;
                sourceType?: "batch" | "workflow" | "transactional" | "confirmation" | "external";
                from?: string | unknown | unknown;
                to?: string | unknown | unknown;
                /** @description A status that the mail has ever reached. `status` filters by the present one. */
                reached?: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "suppressed" | "complained";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailLogList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportEmailLogs: {
        parameters: {
            query?: {
                status?: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
                recipient?: string;
                batchId?: string;
                executionId?: string;
                templateId?: string;
                sourceType?: "batch" | "workflow" | "transactional" | "confirmation" | "external";
                from?: string | unknown | unknown;
                to?: string | unknown | unknown;
                /** @description A status that the mail has ever reached. `status` filters by the present one. */
                reached?: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "suppressed" | "complained";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mails */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getEmailLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider’s message id, or the id of the log. */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailLogDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    receiveSnsMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The connection whose `snsTopicArn` is the topic. */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnsMessage"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listContactEvents: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactEventList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    ingestEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description One of `contactId`, `contactExternalId` and `contactEmail` is required. They are tried in this order. An address never matches a contact with another external id. A contact without an external id or an address gets the one in the event, unless another contact has it. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventAccepted"];
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Credentials are missing, malformed, revoked or expired */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The resource belongs to another organization, or the key lacks the scope */
            403: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The state of the resource does not allow the request, the resource is a duplicate or was changed meanwhile, or a request with the same Idempotency-Key is still running */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The media type is not supported */
            415: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The body does not match the schema, or the Idempotency-Key was used for another request */
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too many requests, or the monthly event limit is used up; see Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventLimitExceeded"];
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    ingestEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventBatchInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventBatchResult"];
                };
            };
            /** @description The body cannot be parsed, a parameter is invalid, or a rule refuses the request */
            400: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Credentials are missing, malformed, revoked or expired */
            401: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The resource belongs to another organization, or the key lacks the scope */
            403: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The resource or route does not exist */
            404: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The state of the resource does not allow the request, the resource is a duplicate or was changed meanwhile, or a request with the same Idempotency-Key is still running */
            409: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The address of the request is too long */
            414: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The media type is not supported */
            415: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The body does not match the schema, or the Idempotency-Key was used for another request */
            422: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too many requests, or the monthly event limit is used up; see Retry-After */
            429: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventLimitExceeded"];
                };
            };
            /** @description Address and headers of the request are too large together */
            431: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unexpected failure. Retry with backoff */
            500: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Temporarily unavailable. See Retry-After */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-Event-Limit": components["headers"]["X-Event-Limit"];
                    "X-Event-Current": components["headers"]["X-Event-Current"];
                    "X-Event-Remaining": components["headers"]["X-Event-Remaining"];
                    "X-Event-Percent": components["headers"]["X-Event-Percent"];
                    "X-Event-Exceeded": components["headers"]["X-Event-Exceeded"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listEventNames: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventNameList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkflowExecutions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description `paused`: in a delay. `waiting`: for an event. */
                status?: "pending" | "active" | "paused" | "waiting" | "completed" | "failed" | "cancelled";
                /** @description Returns only executions of this contact. */
                contactId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkflowSteps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowStepCounts"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listContactExecutions: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description `paused`: in a delay. `waiting`: for an event. */
                status?: "pending" | "active" | "paused" | "waiting" | "completed" | "failed" | "cancelled";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionRetried"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionCancelled"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelWorkflowExecutions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An operation on many executions of a workflow, and its progress. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowOperation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryWorkflowFailed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryFailedInput"];
            };
        };
        responses: {
            /** @description An operation on many executions of a workflow, and its progress. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowOperation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkflowOperations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowOperationList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkflowOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An operation on many executions of a workflow, and its progress. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowOperation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pushWorkflows: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowPush"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowPushResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    pullWorkflows: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description Returns only the workflow with this slug. */
                slug?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowPull"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    enableWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWorkflow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    disableWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DisableInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisabledWorkflow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkflowVersions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowVersionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkflowDiagram: {
        parameters: {
            query?: {
                /** @description Version of the workflow. Defaults to the newest. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A Mermaid flowchart */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWorkflowSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    triggerWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        /** @description `contactId` or `contactEmail` is required. If both are sent, the id is used. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Triggered"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    triggerWorkflowBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        /** @description A contact that is listed twice is triggered once, by its first entry. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerBatchInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggeredBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkflows: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                /** @description Part of the name or slug. */
                search?: string;
                /** @description Filters by this state. */
                enabled?: "true" | "false";
                /** @description Filters by trigger. */
                triggerType?: "event" | "contact_created" | "contact_updated" | "segment_entry" | "segment_exit" | "topic_subscribed" | "topic_unsubscribed" | "schedule" | "api";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWorkflow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkflow: {
        parameters: {
            query?: {
                /** @description Version of the workflow. Defaults to the newest. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                workflowId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedWorkflow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                state?: "pending" | "delivered" | "failed" | "cancelled";
                type?: "contact.created" | "contact.updated" | "contact.deleted" | "contact.unsubscribed" | "topic.subscribed" | "topic.unsubscribed" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.suppressed" | "email.failed" | "batch.completed" | "batch.failed" | "batch.paused" | "batch.cancelled" | "execution.completed" | "execution.failed";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookTestInput"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookReplayInput"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
                /** @description Id of the resource. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointInput"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookEndpointSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getApiInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiInfo"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    sendResendEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendEmailInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendEmailId"];
                };
            };
            400: components["responses"]["ResendBadRequest"];
            401: components["responses"]["ResendUnauthorized"];
            402: components["responses"]["ResendPaymentRequired"];
            403: components["responses"]["ResendForbidden"];
            404: components["responses"]["ResendNotFound"];
            409: components["responses"]["ResendConflict"];
            413: components["responses"]["ResendPayloadTooLarge"];
            414: components["responses"]["ResendUriTooLong"];
            415: components["responses"]["ResendUnsupportedMediaType"];
            422: components["responses"]["ResendValidationFailed"];
            429: components["responses"]["ResendRateLimited"];
            431: components["responses"]["ResendRequestHeaderFieldsTooLarge"];
            500: components["responses"]["ResendInternalError"];
            503: components["responses"]["ResendUnavailable"];
        };
    };
    sendResendEmails: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Each row is checked by itself. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendBatchInput"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendBatch"];
                };
            };
            400: components["responses"]["ResendBadRequest"];
            401: components["responses"]["ResendUnauthorized"];
            402: components["responses"]["ResendPaymentRequired"];
            403: components["responses"]["ResendForbidden"];
            404: components["responses"]["ResendNotFound"];
            409: components["responses"]["ResendConflict"];
            413: components["responses"]["ResendPayloadTooLarge"];
            414: components["responses"]["ResendUriTooLong"];
            415: components["responses"]["ResendUnsupportedMediaType"];
            422: components["responses"]["ResendValidationFailed"];
            429: components["responses"]["ResendRateLimited"];
            431: components["responses"]["ResendRequestHeaderFieldsTooLarge"];
            500: components["responses"]["ResendInternalError"];
            503: components["responses"]["ResendUnavailable"];
        };
    };
    getResendEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendEmail"];
                };
            };
            400: components["responses"]["ResendBadRequest"];
            401: components["responses"]["ResendUnauthorized"];
            402: components["responses"]["ResendPaymentRequired"];
            403: components["responses"]["ResendForbidden"];
            404: components["responses"]["ResendNotFound"];
            409: components["responses"]["ResendConflict"];
            413: components["responses"]["ResendPayloadTooLarge"];
            414: components["responses"]["ResendUriTooLong"];
            415: components["responses"]["ResendUnsupportedMediaType"];
            422: components["responses"]["ResendValidationFailed"];
            429: components["responses"]["ResendRateLimited"];
            431: components["responses"]["ResendRequestHeaderFieldsTooLarge"];
            500: components["responses"]["ResendInternalError"];
            503: components["responses"]["ResendUnavailable"];
        };
    };
    rescheduleResendEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendEmailPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendChangedEmail"];
                };
            };
            400: components["responses"]["ResendBadRequest"];
            401: components["responses"]["ResendUnauthorized"];
            402: components["responses"]["ResendPaymentRequired"];
            403: components["responses"]["ResendForbidden"];
            404: components["responses"]["ResendNotFound"];
            409: components["responses"]["ResendConflict"];
            413: components["responses"]["ResendPayloadTooLarge"];
            414: components["responses"]["ResendUriTooLong"];
            415: components["responses"]["ResendUnsupportedMediaType"];
            422: components["responses"]["ResendValidationFailed"];
            429: components["responses"]["ResendRateLimited"];
            431: components["responses"]["ResendRequestHeaderFieldsTooLarge"];
            500: components["responses"]["ResendInternalError"];
            503: components["responses"]["ResendUnavailable"];
        };
    };
    cancelResendEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendChangedEmail"];
                };
            };
            400: components["responses"]["ResendBadRequest"];
            401: components["responses"]["ResendUnauthorized"];
            402: components["responses"]["ResendPaymentRequired"];
            403: components["responses"]["ResendForbidden"];
            404: components["responses"]["ResendNotFound"];
            409: components["responses"]["ResendConflict"];
            413: components["responses"]["ResendPayloadTooLarge"];
            414: components["responses"]["ResendUriTooLong"];
            415: components["responses"]["ResendUnsupportedMediaType"];
            422: components["responses"]["ResendValidationFailed"];
            429: components["responses"]["ResendRateLimited"];
            431: components["responses"]["ResendRequestHeaderFieldsTooLarge"];
            500: components["responses"]["ResendInternalError"];
            503: components["responses"]["ResendUnavailable"];
        };
    };
    sendEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Content is either `templateId` or `html`, `text` or both. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailInput"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    sendEmails: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailBatchInput"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailBatchResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rescheduleEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getEmailBody: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Email"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    sendText: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TextInput"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTextLogs: {
        parameters: {
            query?: {
                /** @description Maximum number of rows in a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. Use the same filters. */
                cursor?: string;
                status?: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "complained" | "suppressed" | "failed" | "queued" | "pending" | "opted_out";
                /** @description A telephone number. */
                recipient?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextLogList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Text"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rescheduleText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TextPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Text"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTextBody: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelText: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Text"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateTestInput"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateTest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getEmailMetrics: {
        parameters: {
            query?: {
                /** @description A day of `timezone`, or a time, in `timezone` if it has no offset. By default the sixth day before the last. */
                start_date?: string | unknown | unknown | unknown;
                /** @description The same; a day is included. By default now. */
                end_date?: string | unknown | unknown | unknown;
                /** @description An IANA time zone. */
                timezone?: string;
                /** @description Length of a `period`. Weeks begin on Monday. */
                granularity?: "hourly" | "daily" | "weekly" | "monthly";
                /** @description Comma-separated list of dimensions: period, domain, broadcast, template, source, account, region. */
                dimensions?: string;
                /** @description Only mails of these batches, at most 100, comma-separated. */
                broadcast_id?: string;
                /** @description Only mails of these templates. */
                template_id?: string;
                /** @description Only mails through these accounts. */
                cloud_account_id?: string;
                /** @description Returns only mails sent from addresses of these domains. */
                domain?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailMetrics"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportContact: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export, streamed */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactExport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    eraseContact: {
        parameters: {
            query?: {
                /** @description Forces how `id` is read. */
                by?: "id" | "email" | "externalId";
            };
            header?: {
                /** @description Remembered for 24 hours. A repeated request with the same key returns the first response and has no further effect. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
