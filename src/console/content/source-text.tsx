/** A long text that cannot be changed here. It scrolls, so it can have the focus. */
export const SourceText = ({ text, label }: { text: string; label: string }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <section className="mail-source" aria-label={label} tabIndex={0}>
    <code>{text}</code>
  </section>
)
