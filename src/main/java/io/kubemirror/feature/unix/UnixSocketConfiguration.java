package io.kubemirror.feature.unix;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Serves the API on a Unix socket. */
@Configuration(proxyBeanMethods = false)
@Import(UnixSocketListener.class)
class UnixSocketConfiguration {}
