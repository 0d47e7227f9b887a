package io.kubemirror.feature.diagnose;

import io.kubemirror.api.watch.WatcherDirectory;
import io.kubemirror.mirror.MirrorSet;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Creates the endpoints and the metric of the diagnosis. */
@Configuration(proxyBeanMethods = false)
@Import({MirrorsEndpoint.class, ThreadsEndpoint.class})
class DiagnoseConfiguration {

    @Bean
    SlowestWatches slowestWatches(
            MirrorSet mirrors,
            WatcherDirectory watchers,
            ObjectProvider<PrometheusRegistry> registry) {
        SlowestWatches slowest = new SlowestWatches(mirrors, watchers);
        registry.ifAvailable(one -> one.register(slowest));
        return slowest;
    }
}
