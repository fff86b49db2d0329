import { answer, limited, passOn, reset, silence, stalled, unread } from './acts.js'
import type { EndingName } from './endings.js'
import type { Act } from './fault-server.js'

const firstPage = answer(200, {
  data: [{ id: 'hp-1', name: 'P' }],
  pagination: { page: 1, limit: 1, total: 5 },
  processing_time_ms: 0,
})

/** The acts of the server, or the stranger in its place, that make a call end in each way. */
export const endingFaults: Record<EndingName, { script: Act[] } | { stranger: 'nobody' | 'mute' }> = {
  success: { script: [passOn] },
  refusal: { script: [answer(404)] },
  'a refusal of 8 MB': { script: [answer(400, 'x'.repeat(8e6))] },
  'nobody there': { stranger: 'nobody' },
  'time-out while waiting': { script: [silence] },
  'time-out while reading': { script: [stalled(200)] },
  'deadline while waiting': { script: [silence] },
  'a wait beyond the deadline': { script: [limited('30')] },
  'stop before': { script: [passOn] },
  'stop while connecting': { stranger: 'mute' },
  'stop while uploading': { script: [unread] },
  'stop while waiting': { script: [silence] },
  'stop while reading': { script: [stalled(200)] },
  'stop while backing off': { script: [answer(503)] },
  'stop while queued at the gate': { script: [limited('30')] },
  'stop between two looks': { script: [reset, passOn] },
  'stop during a look': { script: [reset, silence] },
  'stop between pages': { script: [firstPage] },
  'break between pages': { script: [firstPage] },
}
