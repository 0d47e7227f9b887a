package io.kubemirror.feature.diagnose;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Creates the endpoints of the diagnosis. */
@Configuration(proxyBeanMethods = false)
@Import({MirrorsEndpoint.class, ThreadsEndpoint.class})
class DiagnoseConfiguration {}
