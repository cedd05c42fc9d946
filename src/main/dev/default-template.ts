/**
 * The demo's template, and a good one to begin with: a column of 600 pixels that narrows on phones,
 * in light and dark, without images. Publishing writes its styles into the elements, so that mail
 * programs without `<style>` show it in light.
 */
export const DEFAULT_TEMPLATE = {
  name: 'November news',
  subject: 'News for you, {{ contact.firstName | default: "friend" }}',
  previewText: 'Three things that are new in November, and one that is on its way.',
  source: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>November news</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark }
body { margin: 0; padding: 0; width: 100%; -webkit-text-size-adjust: 100% }
table { border-collapse: separate; border-spacing: 0 }
td { padding: 0; font-family: -apple-system, BlinkMacSystemFont, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 16px; line-height: 26px }
.page { background-color: #f4f1ec }
.column { width: 100%; max-width: 600px; margin: 0 auto }
.brand { padding: 32px 8px 20px; font-size: 15px; font-weight: 700; letter-spacing: .02em; color: #24211d; text-align: left }
.card { background-color: #ffffff; border-radius: 12px; padding: 40px; color: #24211d; text-align: left }
.card h1 { margin: 0 0 16px; font-size: 30px; line-height: 37px; font-weight: 700; color: #24211d }
.card h2 { margin: 0 0 4px; font-size: 18px; line-height: 26px; font-weight: 700; color: #24211d }
.card p { margin: 0 0 20px; color: #24211d }
.card p.last { margin: 0 }
.news { padding: 20px 0 0; border-top: 1px solid #e4ded5 }
.button { border-radius: 8px; background-color: #7a3e2c }
.button a { display: inline-block; padding: 13px 24px; font-weight: 600; color: #ffffff; text-decoration: none }
.gap { padding: 8px 0 32px }
.link { color: #7a3e2c; text-decoration: underline }
.foot { padding: 24px 8px 40px; font-size: 13px; line-height: 21px; color: #5c554d; text-align: left }
.foot a { color: #5c554d; text-decoration: underline }
.address { display: block; padding-top: 8px; white-space: pre-line }
@media (max-width: 480px) {
  .card { padding: 28px 20px !important; border-radius: 8px !important }
  .card h1 { font-size: 26px !important; line-height: 33px !important }
}
@media (prefers-color-scheme: dark) {
  .page { background-color: #16140f !important }
  .brand { color: #f3efe9 !important }
  .card { background-color: #24211c !important; color: #f3efe9 !important }
  .card h1, .card h2, .card p { color: #f3efe9 !important }
  .news { border-top-color: #4a443b !important }
  .button { background-color: #f0b49e !important }
  .button a { color: #24211c !important }
  .link { color: #f0b49e !important }
  .foot, .foot a { color: #bbb2a6 !important }
}
</style>
</head>
<body class="page">
<table role="presentation" class="page" width="100%">
<tr><td align="center" style="padding:0 12px">
<table role="presentation" class="column" width="100%" align="center">
<tr><td class="brand">{{ organization.name }}</td></tr>
<tr><td class="card">
<h1>Hello {{ contact.firstName | default: "friend" }},</h1>
<p>How are things at {{ contact.company | default: "work" }}? The days get shorter, and the list of what is new got longer. Here is what we would tell you over a cup of tea.</p>
<table role="presentation"><tr><td class="gap"><table role="presentation"><tr><td class="button"><a href="https://letterloom.example/november">Read the November news</a></td></tr></table></td></tr></table>
<table role="presentation" width="100%">
<tr><td class="news"><h2>Mail at each one’s own morning</h2><p>A batch can go out at nine o’clock wherever its reader is.</p></td></tr>
<tr><td class="news"><h2>Two subjects, one winner</h2><p>Try up to five versions on a share of your readers; the rest gets the best one.</p></td></tr>
<tr><td class="news"><h2>Stop, think, go on</h2><p>Pause a batch, change what it says, and resume it when you are ready.</p></td></tr>
</table>
{% if contact.properties.plan == "pro" %}<p class="last">Thank you for being on the Pro plan.</p>{% else %}<p class="last">There is a Pro plan, <a class="link" href="https://letterloom.example/pro">should you need more</a>.</p>{% endif %}
</td></tr>
<tr><td class="foot">You get this because you subscribed to news of {{ organization.name }}.<br>
<a href="{{ unsubscribeUrl }}">Unsubscribe</a> &middot; <a href="{{ preferencesUrl }}">Choose what you get</a>{% if organization.postalAddress %}<span class="address">{{ organization.name }}
{{ organization.postalAddress }}</span>{% endif %}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`,
}
