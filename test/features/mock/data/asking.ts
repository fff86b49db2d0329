import { referenceKey } from '@svc/reference-server/core'
import { expect } from 'vitest'
import { projectId } from './serving.js'

const headers = { authorization: `Bearer ${referenceKey}` }

/** Uploads a transcript. */
export const post = (url: string, body: object) =>
  fetch(`${url}/projects/${projectId}/transcripts`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The body of a successful read. */
export async function get(url: string) {
  const response = await fetch(url, { headers })
  expect(response.status).toBe(200)
  return response.json()
}

/** Every transcript of the project; their count is what the pages say. */
export async function list(url: string) {
  const found: { id: string; name: string; turn_count: number }[] = []
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await get(`${url}/projects/${projectId}/transcripts?limit=100&page=${page}`)
    found.push(...data)
    if (data.length === 0) {
      expect(pagination.total).toBe(found.length)
      return found
    }
  }
}
