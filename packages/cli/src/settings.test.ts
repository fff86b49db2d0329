import { describe, expect, it } from 'vitest'
import { cacheFolderOf, stateFolderOf, userFileOf } from './settings.js'

const all = (env: Record<string, string>) => [userFileOf(env), stateFolderOf(env), cacheFolderOf(env)]

describe('the folders', () => {
  it('uses the XDG folders in the home folder', () => {
    expect(all({ HOME: '/me' })).toEqual(['/me/.config/svc/config.json', '/me/.local/state/svc', '/me/.cache/svc'])
    expect(all({ HOME: '/me', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/k' })).toEqual([
      '/c/svc/config.json',
      '/s/svc',
      '/k/svc',
    ])
  })

  it('uses no folder without a home, and never a relative one', () => {
    const none = [undefined, undefined, undefined]
    expect(all({})).toEqual(none)
    expect(all({ HOME: '', XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: './s', XDG_CACHE_HOME: '~/k' })).toEqual(none)
    expect(all({ HOME: 'relative' })).toEqual(none)
  })

  it('prefers the folders of the svc variables', () => {
    const variables = { SVC_CONFIG: 'mine.json', SVC_STATE_DIR: '/state', SVC_CACHE_DIR: '/cache' }
    expect(all({ HOME: '/me', ...variables })).toEqual(['mine.json', '/state', '/cache'])
  })
})
