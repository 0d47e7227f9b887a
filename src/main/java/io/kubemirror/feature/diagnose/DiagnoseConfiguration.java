package io.kubemirror.feature.diagnose;

import io.kubemirror.app.ConfigurationReport;
import io.kubemirror.app.ConfigurationReport.Difference;
import io.kubemirror.app.ProcessDescription;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.model.MemoryBudget;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import java.time.InstantSource;

/** Creates the endpoints of the diagnosis. */
@Configuration(proxyBeanMethods = false)
@Import({MirrorsEndpoint.class, ThreadsEndpoint.class})
class DiagnoseConfiguration {

    @Bean
    DiagnosisInput diagnosisInput(
            WatcherDirectory watchers,
            ProcessDescription process,
            ObjectProvider<ConfigurationReport> configuration,
            MemoryBudget memoryBudget,
            InstantSource clock) {
        return new DiagnosisInput(
                watchers,
                process,
                configuration.getIfAvailable(() -> () -> Difference.NONE),
                memoryBudget,
                clock);
    }
}
