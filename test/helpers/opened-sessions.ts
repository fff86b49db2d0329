import type { Session } from './session.js'

const opened: Session[] = []

/** Keeps a session until its answers are looked at. */
export const keepSession = (session: Session): number => opened.push(session)

/** The sessions that were opened since this was last asked. */
export const takeSessions = (): Session[] => opened.splice(0)
