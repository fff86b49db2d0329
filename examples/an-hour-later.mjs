// Advance the clock of `svc mock --control`, so that a script need not wait for the end of a rate-limit window.
const { SVC_CONTROL_URL, SVC_CONTROL_TOKEN } = process.env
const response = await fetch(`${SVC_CONTROL_URL}/clock`, {
  method: 'POST',
  headers: { authorization: `Bearer ${SVC_CONTROL_TOKEN}`, 'content-type': 'application/json' },
  body: JSON.stringify({ advanceMs: 3_600_000 }),
})
if (!response.ok) throw new Error(await response.text())
