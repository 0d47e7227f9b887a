package io.kubemirror.feature.conflate;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Lets clients ask for conflated watches. */
@Configuration(proxyBeanMethods = false)
@Import(ConflationStrategy.class)
class ConflateConfiguration {}
