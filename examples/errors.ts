// Handle the four error classes; each has its own next step.
import { AmbiguousWriteError, ConnectionError, createClient, InputError, ServiceError } from '@svc/client'

const svc = createClient()
const { SVC_PROJECT = '' } = process.env

try {
  const transcript = await svc.transcripts.upload(SVC_PROJECT, {
    name: 'Order 7',
    turns: [{ role: 'user', content: 'Where is order 7?' }],
  })
  console.log('stored:', transcript.id)
} catch (error) {
  if (error instanceof InputError) console.log('not sent; fix the input:', error.violations)
  else if (error instanceof AmbiguousWriteError) console.log('may be stored; search for:', error.fingerprint)
  else if (error instanceof ConnectionError) console.log('no answer and nothing stored; try again later')
  else if (error instanceof ServiceError && error.kind === 'rate_limited') console.log('try again at:', error.retryAt)
  else if (error instanceof ServiceError) console.log('the service refused:', error.kind, error.detail)
  else throw error
}
