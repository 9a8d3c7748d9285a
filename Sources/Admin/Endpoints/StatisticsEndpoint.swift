extension AdminExchange {
    func statistics() {
        reply(AdminReply(content: StatisticsReport(service.sources.statistics).json))
    }
}
