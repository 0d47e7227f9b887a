package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.app.ResourceProperties;
import io.kubemirror.feature.demand.OnDemandMirrors.Configured;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.source.Source;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates mirrors on demand. */
@Configuration(proxyBeanMethods = false)
class DemandConfiguration {

    @Bean
    OnDemandMirrors onDemandMirrors(
            MirrorProperties properties,
            MirrorLifecycle lifecycle,
            MirrorMemory memory,
            Source api,
            WatchRegistry watchers) {
        OnDemandMirrors onDemand =
                new OnDemandMirrors(
                        configured(properties),
                        lifecycle,
                        api,
                        watchers,
                        System::nanoTime,
                        task -> Thread.ofVirtual().name("on-demand").start(task),
                        Thread::sleep);
        memory.onPressure(onDemand::reclaim);
        return onDemand;
    }

    private static Configured configured(MirrorProperties properties) {
        return new Configured(
                properties.resources().stream()
                        .filter(ResourceProperties::isOnDemand)
                        .map(one -> new OnDemandResource(one, properties))
                        .toList(),
                MirrorDefinition.all(properties).stream()
                        .map(one -> one.scope().resource())
                        .distinct()
                        .toList());
    }
}
