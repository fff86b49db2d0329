import { expect, it } from 'vitest'
import { zstdOf } from '../../test/fixtures/archives.js'
import { ZstdFrames } from './unpack.js'

const words = 'Some words. '.repeat(40_000)
/** A frame that decoders pass over. */
const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 0x28, 0xb5, 0x2f])
/** A frame of one segment: its size in two bytes less 256, one last raw block of 2 bytes, and a checksum. */
const segment = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x64, 2, 1, 0x11, 0, 0, 65, 66, 1, 2, 3, 4])

function windowsOf(bytes: Uint8Array, partBytes: number): number[] {
  const windows: number[] = []
  const frames = new ZstdFrames((window) => windows.push(window))
  for (let at = 0; at < bytes.length; at += partBytes) frames.push(bytes.subarray(at, at + partBytes))
  return windows
}

it.each([1, 7, 1 << 20])('reports the window of each zstd frame, read in parts of %d bytes', (partBytes) => {
  const bytes = Buffer.concat([zstdOf(words), skippable, segment, zstdOf('a', 30), zstdOf('b', 20)])
  expect(windowsOf(bytes, partBytes)).toEqual([1 << 17, 258, 2 ** 30, 1 << 20])
})

it('stops at data that is not a zstd frame', () => {
  expect(windowsOf(Buffer.concat([zstdOf('a'), Buffer.from('no frame at all'), zstdOf('b', 30)]), 4)).toEqual([1 << 17])
})
