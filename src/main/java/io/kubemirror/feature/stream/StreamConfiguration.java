package io.kubemirror.feature.stream;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Serves several resources in one stream. */
@Configuration(proxyBeanMethods = false)
@Import(StreamHandler.class)
class StreamConfiguration {}
