import { envelope, type Refusal } from '../refusal.js'
import type { Surface } from '../types.js'
import { escapeHtml } from '../validation/index.js'
import type { Ambiguities } from './declarations.js'

export function errorBody(surface: Surface, refusal: Refusal, reading: Ambiguities['errorBody']): [string, string] {
  const { status, message } = refusal
  switch (reading) {
    case 'text':
      return ['text/plain; charset=utf-8', message]
    case 'html':
      return ['text/html; charset=utf-8', `<!doctype html><title>${status}</title><p>${escapeHtml(message)}`]
    case 'envelope':
      return ['application/json', JSON.stringify(envelope(surface, refusal))]
    default:
      return ['application/json', JSON.stringify({ [reading]: message })]
  }
}
