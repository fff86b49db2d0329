import { createClient } from '@svc/client'
import { openapi } from '@svc/client/openapi'
import { same } from './same.mjs'

export async function typed() {
  const { annotation, workspace } = openapi(createClient())
  const { data, error } = await annotation.GET('/health')
  if (data) same<typeof data.substrate, 'fargate' | 'lambda'>(true)
  same<typeof error, undefined>(true)
  // @ts-expect-error no such path
  await workspace.GET('/nowhere')
}
