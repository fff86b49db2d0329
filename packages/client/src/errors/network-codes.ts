/** The settings to correct after a failed connection, by the code of its error. */
export const misconfigurations = [
  {
    setting: 'certificate',
    problem: 'its certificate is not trusted',
    // Certificates are checked before anything is sent.
    codes: /^(CERT|CRL|UNABLE|SELF|DEPTH|HOSTNAME|INVALID|PATH|ERROR_IN|ERR_TLS_CERT)_/,
  },
  {
    setting: 'protocol',
    problem: 'no common protocol; correct the base URL',
    // A server that speaks no TLS, a TLS server without TLS, or ends that share no version or cipher.
    codes:
      /^(EPROTO$|ERR_TLS_(INVALID_)?PROTOCOL_|ERR_SSL_(WRONG|PACKET_LENGTH|NO|VERSION_TOO|HTTPS?|UNSAFE_LEGACY|DH_KEY|[\w/]*(PROTOCOL|HANDSHAKE_FAILURE|INSUFFICIENT|CERTIFICATE_REQUIRED|UNRECOGNIZED)))/,
  },
] as const

/** System calls before a connection is established, of sockets and of the resolver. */
export const connectingCall = /^(connect|bind|socket|getaddrinfo|query\w+)$/

/** Codes that only occur before a connection is established, for errors without a system call. */
export const connectingCode = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ERR_PROXY_REFUSED)$/
