package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.api.watch.WatcherDirectory;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.feature.demand.OnDemandMirrors.Configured;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.source.Source;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates mirrors on demand. */
@Configuration(proxyBeanMethods = false)
class DemandConfiguration {

    /** Learns of another configuration after the lifecycle, which is created before. */
    @Bean
    OnDemandMirrors onDemandMirrors(
            CurrentProperties current,
            MirrorLifecycle lifecycle,
            MirrorMemory memory,
            Source api,
            WatcherDirectory watchers) {
        OnDemandMirrors onDemand =
                new OnDemandMirrors(
                        current.part(Configured::of),
                        lifecycle,
                        api,
                        watchers,
                        System::nanoTime,
                        Thread::sleep);
        memory.onPressure(onDemand::reclaim);
        current.listen(Function.identity(), (_, _) -> onDemand.configure());
        return onDemand;
    }
}
